package hosts

import (
	"bytes"
	"math"
	"strconv"
)

// key is a name in the details of a row, with its kind of value.
type key struct {
	field Field
	form  form
}

// form is the form of a value.
type form uint8

const (
	unknown  form = iota // nobody asks for it
	known                // ss prints it, and nobody asks for it
	unread               // a number that nobody asks for; one that is cut shows that the row is
	plain                // a number
	millis               // a number with "ms", and perhaps a percentage behind it
	twoTimes             // rtt: smoothed and variation
	twoParts             // retrans: now and total
	memory               // skmem
	inode
	token
	dsnWrite
	dsnUna
	dsnOther
)

var unknownKey = key{}

// fieldOf returns what a name in the details of a row means. A switch, because a row has some thirty
// names: a map takes a quarter of the rows a second.
func fieldOf(name []byte) key {
	switch string(name) {
	case "rto":
		return key{RTO, plain}
	case "rtt":
		return key{RTT, twoTimes}
	case "mss":
		return key{MSS, plain}
	case "cwnd":
		return key{Cwnd, plain}
	case "ssthresh":
		return key{Ssthresh, plain}
	case "bytes_sent":
		return key{BytesSent, plain}
	case "bytes_acked":
		return key{BytesAcked, plain}
	case "bytes_received":
		return key{BytesReceived, plain}
	case "bytes_retrans":
		return key{BytesRetrans, plain}
	case "data_segs_out":
		return key{DataSegsOut, plain}
	case "busy":
		return key{Busy, millis}
	case "rwnd_limited":
		return key{RwndLimited, millis}
	case "sndbuf_limited":
		return key{SndbufLimited, millis}
	case "unacked":
		return key{UnackedSegments, plain}
	case "retrans":
		return key{RetransNow, twoParts}
	case "lost":
		return key{Lost, plain}
	case "backoff":
		return key{Backoff, plain}
	case "notsent":
		return key{NotSent, plain}
	case "rcv_space":
		return key{RcvSpace, plain}
	case "rcv_ssthresh":
		return key{RcvSsthresh, plain}
	case "minrtt":
		return key{MinRTT, plain}
	case "snd_wnd":
		return key{SndWnd, plain}
	case "ato", "pmtu", "segs_out", "segs_in", "data_segs_in", "lastsnd", "lastrcv", "lastack", "delivered", "sacked", "rcv_rtt", "rcv_wnd":
		return key{0, unread}
	}
	return rareField(name)
}

// rareField knows the names that rows of Multipath TCP have, and those that few rows have.
func rareField(name []byte) key {
	switch string(name) {
	case "skmem":
		return key{0, memory}
	case "ino":
		return key{0, inode}
	case "token":
		return key{0, token}
	case "subflows_max":
		return key{SubflowsMax, plain}
	case "add_addr_accepted_max":
		return key{AddAddrAcceptedMax, plain}
	case "retransmits":
		return key{Retransmits, plain}
	case "subflows_total":
		return key{SubflowsTotal, plain}
	case "write_seq":
		return key{WriteSeq, dsnWrite}
	case "snd_una":
		return key{WriteSeq, dsnUna}
	case "add_addr_signal", "add_addr_signal_max", "add_addr_accepted", "local_addr_used", "local_addr_max", "subflows":
		return key{0, unread}
	case "rcv_nxt", "seq":
		return key{WriteSeq, dsnOther}
	case "timer", "sk", "cgroup", "uid", "users", "wscale", "rcvmss", "advmss", "flags", "sfseq", "ssnoff", "maplen", "map_seq",
		"map_offset", "delivered_ce", "dsack_dups", "reordering", "reord_seen", "rcv_ooopack", "rehash", "bbr", "dctcp",
		"last_data_sent", "last_data_recv", "last_ack_recv", "fwmark", "bpf_id", "mem", "opt", "fallback_reason", "inet-sockopt",
		"tcp-ulp-tls", "cwnd_gain", "qack", "bidir", "snd_cwnd_clamp", "rcvq_space", "tos", "tclass", "class_id", "send", "ref":
		return key{0, known}
	}
	return unknownKey
}

// details reads what stands behind the ends of a row: words, and names with values. broken
// says that the file ends in this line, so that its last value may be cut.
func (s *ssReader) details(text []byte, broken bool) {
	for {
		var word []byte
		if word, text = nextWord(text); len(word) == 0 {
			return
		}
		if broken && len(text) == 0 {
			return
		}
		colon := bytes.IndexByte(word, ':')
		if colon > 0 {
			s.pair(word[:colon], word[colon+1:])
			continue
		}
		text = s.word(word, text)
	}
}

// word reads a word without value, or the value behind it.
func (s *ssReader) word(word, text []byte) (rest []byte) {
	r := &s.row
	switch string(word) {
	case "send":
		_, text = nextWord(text)
	case "pacing_rate":
		word, text = nextWord(text)
		word, _, _ = bytes.Cut(word, []byte("/"))
		s.rate(PacingRate, word)
	case "delivery_rate":
		word, text = nextWord(text)
		s.rate(DeliveryRate, word)
	case "app_limited":
		r.Words |= AppLimited
	case "fallback":
		r.Words |= Fallback
	case "tcp-ulp-mptcp":
		r.ULP = true
	case "remote_key", "csum_enabled", "ts", "sack", "ecn", "ecnseen", "fastopen", "<->", "-->", "<--", "---", "usec_ts":
	default:
		s.control(word)
	}
	return text
}

// controls are congestion controls whose names are not allocated.
var controls = []string{"cubic", "bbr", "reno", "bbr2", "bbr3", "dctcp", "lia", "olia", "balia", "wvegas", "vegas", "westwood", "htcp", "illinois", "hybla", "veno", "yeah", "bic", "cdg", "highspeed", "lp", "nv", "scalable", "mpcc"}

// control takes a word before the first number for the congestion control.
func (s *ssReader) control(word []byte) {
	r := &s.row
	if r.Has(RTO) || r.Has(Cwnd) || r.MPTCP || len(word) > 15 || word[0] < 'a' || word[0] > 'z' {
		return
	}
	if r.Control = oneOf(controls, word); r.Control == "" {
		r.Control = string(word)
	}
}

// rate reads a rate: 7191805bps, or 7.2Mbps as older versions print it.
func (s *ssReader) rate(f Field, word []byte) {
	word, isRate := bytes.CutSuffix(word, []byte("bps"))
	scale := 1.0
	if n := len(word); n > 0 {
		if i := bytes.IndexByte([]byte("KMGT"), word[n-1]); i >= 0 {
			word, scale = word[:n-1], math.Pow(1000, float64(i+1))
		}
	}
	v, ok := float(word)
	if !ok || !isRate {
		s.bad = true
		return
	}
	s.row.set(f, v*scale)
}

// pair reads a name with its value.
func (s *ssReader) pair(name, value []byte) {
	r, k := &s.row, fieldOf(name)
	switch k.form {
	case unknown:
		s.file.UnknownFields++
	case unread:
		_, ok := float(value)
		s.bad = s.bad || !ok
	case plain:
		v, ok := float(value)
		if !ok {
			s.bad = true
			return
		}
		r.set(k.field, v)
	case millis:
		value, _, _ = bytes.Cut(value, []byte("("))
		value, isTime := bytes.CutSuffix(value, []byte("ms"))
		v, ok := float(value)
		s.bad = s.bad || !ok || !isTime
		r.set(k.field, v)
	case twoTimes, twoParts:
		first, second, found := bytes.Cut(value, []byte("/"))
		x, ok := float(first)
		y, ok2 := float(second)
		s.bad = s.bad || !found || !ok || !ok2
		r.set(k.field, x)
		r.set(k.field+1, y)
	case memory:
		s.memory(value)
	case inode:
		r.Inode, _ = number(value)
	case token:
		s.token(value)
	case dsnWrite, dsnUna, dsnOther:
		s.dsn.add(k.form, value)
		r.set(WriteSeq, 0)
	}
}

// memory reads skmem:(r0,rb131072,t0,tb46080,f3612,w7396,o0,bl0,d0).
func (s *ssReader) memory(value []byte) {
	value, closed := bytes.CutSuffix(bytes.TrimPrefix(value, []byte("(")), []byte(")"))
	s.bad = s.bad || !closed
	for len(value) > 0 {
		var part []byte
		part, value, _ = bytes.Cut(value, []byte(","))
		i := 0
		for i < len(part) && (part[i] < '0' || part[i] > '9') {
			i++
		}
		v, ok := number(part[i:])
		if !ok {
			continue
		}
		switch string(part[:i]) {
		case "rb":
			s.row.set(MemRB, float64(v))
		case "tb":
			s.row.set(MemTB, float64(v))
		case "w":
			s.row.set(MemW, float64(v))
		}
	}
}

// token reads token:96b4deb of a connection, and token:REMOTE(id:N)/LOCAL(id:N) of a subflow.
func (s *ssReader) token(value []byte) {
	r := &s.row
	remote, local, both := bytes.Cut(value, []byte("/"))
	if !both {
		v, ok := hexadecimal(value)
		s.bad = s.bad || !ok || v > math.MaxUint32
		r.LocalToken, r.HasToken = uint32(v), ok
		return
	}
	r.ULP = true
	var ok, ok2 bool
	r.RemoteToken, r.RemoteID, ok = tokenAndID(remote)
	r.LocalToken, r.LocalID, ok2 = tokenAndID(local)
	r.HasToken = ok2
	s.bad = s.bad || !ok || !ok2
}

// tokenAndID reads 4fa0185f(id:0).
func tokenAndID(text []byte) (tok uint32, id int, ok bool) {
	digits, rest, _ := bytes.Cut(text, []byte("("))
	v, ok := hexadecimal(digits)
	n, ok2 := number(bytes.TrimSuffix(bytes.TrimPrefix(rest, []byte("id:")), []byte(")")))
	if !ok || !ok2 || v > math.MaxUint32 {
		return 0, -1, false
	}
	return uint32(v), int(n), true
}

// hexadecimal reads up to 16 digits, in small letters.
func hexadecimal(b []byte) (v uint64, ok bool) {
	if len(b) > 16 || bytes.ContainsAny(b, "ABCDEF") {
		return 0, false
	}
	v, err := strconv.ParseUint(string(b), 16, 64)
	return v, err == nil
}

// dsnPair is what a row says of data sequence numbers, in both bases.
type dsnPair [3]dsnValue // by form, from dsnWrite on

type dsnValue struct {
	seen     bool
	hex, dec uint64
	isHex    bool
	isDec    bool
}

// add reads one number in both bases.
func (p *dsnPair) add(f form, text []byte) {
	v := &p[f-dsnWrite]
	*v = dsnValue{seen: true}
	v.hex, v.isHex = hexadecimal(text)
	if !bytes.ContainsAny(text, "abcdef") && len(text) <= 20 { // an error would be allocated for each row
		dec, err := strconv.ParseUint(string(text), 10, 64)
		v.dec, v.isDec = dec, err == nil
	}
}

// finish fills in what was not acknowledged. A number that cannot be one base proves the other
// for the whole file.
func (p *dsnPair) finish(f *File, r *Row) {
	for i := range p {
		switch v := &p[i]; {
		case !v.seen || f.Base != UnknownBase || v.isHex == v.isDec:
		case v.isHex:
			f.Base = Hexadecimal
		default:
			f.Base = Decimal
		}
	}
	write, una := &p[0], &p[dsnUna-dsnWrite]
	if write.isHex && una.isHex {
		r.Unacked[Hexadecimal] = float64(int64(write.hex - una.hex))
	}
	if write.isDec && una.isDec {
		r.Unacked[Decimal] = float64(int64(write.dec - una.dec))
	}
}
