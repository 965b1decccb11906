package hosts

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// key is what a name in the details of a row means.
type key struct {
	field Field
	form  form
}

// form is the form of a value.
type form uint8

const (
	unknown form = iota // no version of ss that is known prints the name
	known               // nobody asks for it
	plain               // a number
	millis              // a number with "ms", and perhaps a percentage behind it
	two                 // two numbers: of the field, and of the next one
	memory              // skmem
	inode
	token
	dsnWrite
	dsnUna
	dsnOther

	// The forms of words without a colon.
	nextRate // the next word is a rate
	nextWhat // nobody asks for the next word
	aWord
	ulp
	noControl // it is no congestion control
)

// keys has the names with a colon behind them. Of unread numbers, one that is cut shows that its row is.
var keys = withNames(map[string]key{
	"rto": {RTO, plain}, "rtt": {RTT, two}, "minrtt": {MinRTT, plain}, "mss": {MSS, plain}, "backoff": {Backoff, plain},
	"cwnd": {Cwnd, plain}, "ssthresh": {Ssthresh, plain}, "snd_wnd": {SndWnd, plain}, "unacked": {UnackedSegments, plain}, "notsent": {NotSent, plain},
	"bytes_sent": {BytesSent, plain}, "bytes_acked": {BytesAcked, plain}, "bytes_received": {BytesReceived, plain}, "bytes_retrans": {BytesRetrans, plain},
	"data_segs_out": {DataSegsOut, plain}, "retrans": {RetransNow, two}, "lost": {Lost, plain}, "retransmits": {Retransmits, plain},
	"busy": {Busy, millis}, "rwnd_limited": {RwndLimited, millis}, "sndbuf_limited": {SndbufLimited, millis},
	"rcv_space": {RcvSpace, plain}, "rcv_ssthresh": {RcvSsthresh, plain}, "skmem": {0, memory}, "ino": {0, inode}, "token": {0, token},
	"subflows_max": {SubflowsMax, plain}, "subflows_total": {SubflowsTotal, plain}, "add_addr_accepted_max": {AddAddrAcceptedMax, plain},
	"write_seq": {WriteSeq, dsnWrite}, "snd_una": {WriteSeq, dsnUna}, "rcv_nxt": {WriteSeq, dsnOther}, "seq": {WriteSeq, dsnOther},
}, map[key]string{
	{unread, plain}: `ato pmtu segs_out segs_in data_segs_in lastsnd lastrcv lastack delivered sacked rcv_rtt rcv_wnd
		add_addr_signal add_addr_signal_max add_addr_accepted local_addr_used local_addr_max subflows`,
	{0, known}: `timer sk cgroup uid users wscale rcvmss advmss flags sfseq ssnoff maplen map_seq map_offset delivered_ce dsack_dups
		reordering reord_seen rcv_ooopack rehash bbr dctcp last_data_sent last_data_recv last_ack_recv fwmark bpf_id mem opt fallback_reason
		inet-sockopt tcp-ulp-tls cwnd_gain qack bidir snd_cwnd_clamp rcvq_space tos tclass class_id send ref`,
})

// wordKeys has the words without a colon that are no congestion control.
var wordKeys = withNames(map[string]key{
	"pacing_rate": {PacingRate, nextRate}, "delivery_rate": {DeliveryRate, nextRate}, "send": {0, nextWhat},
	"app_limited": {AppLimited, aWord}, "fallback": {Fallback, aWord}, "tcp-ulp-mptcp": {0, ulp},
}, map[key]string{{0, noControl}: "remote_key csum_enabled ts sack ecn ecnseen fastopen <-> --> <-- --- usec_ts"})

// otherFields are the names that stand beside those of keys: parts of values, and what is made of them.
var otherFields = map[string]key{
	"rttvar": {field: RTTVar}, "retrans_total": {field: RetransTotal}, "Recv-Q": {field: RecvQ}, "Send-Q": {field: SendQ}, "unacknowledged": {field: Unacked},
	"rb": {field: MemRB}, "tb": {field: MemTB}, "w": {field: MemW},
}

// UnmarshalText reads the name of a field: the one that ss prints, if it has one of its own.
func (f *Field) UnmarshalText(text []byte) error {
	for _, names := range []map[string]key{keys, wordKeys, otherFields} {
		if k, ok := names[string(text)]; ok {
			*f = k.field
			return nil
		}
	}
	return fmt.Errorf("ss prints no field %q", text)
}

// withNames adds lists of names that mean the same.
func withNames(keys map[string]key, same map[key]string) map[string]key {
	for k, names := range same {
		for name := range strings.FieldsSeq(names) {
			keys[name] = k
		}
	}
	return keys
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

// word reads a word without a colon, and the one behind it if that belongs to it.
func (s *ssReader) word(word, text []byte) (rest []byte) {
	r := &s.row
	switch k := wordKeys[string(word)]; k.form {
	case nextRate:
		word, text = nextWord(text)
		word, _, _ = bytes.Cut(word, []byte("/"))
		s.rate(k.field, word)
	case nextWhat:
		_, text = nextWord(text)
	case aWord:
		r.set(k.field, 1)
	case ulp:
		r.ULP = true
	case unknown:
		s.control(word)
	}
	return text
}

// control takes a word before the first number for the congestion control.
func (s *ssReader) control(word []byte) {
	r := &s.row
	if r.Has(RTO) || r.Has(Cwnd) || r.MPTCP || len(word) > 15 || word[0] < 'a' || word[0] > 'z' {
		return
	}
	if string(word) != s.lastControl { // a string of its own would be allocated for each row
		s.lastControl = string(word)
	}
	r.Control = s.lastControl
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
	r, k := &s.row, keys[string(name)]
	switch k.form {
	case unknown:
		s.file.UnknownFields++
	case plain:
		s.number(k.field, value, true)
	case millis:
		value, _, _ = bytes.Cut(value, []byte("("))
		value, isTime := bytes.CutSuffix(value, []byte("ms"))
		s.number(k.field, value, isTime)
	case two:
		first, second, found := bytes.Cut(value, []byte("/"))
		s.number(k.field, first, found)
		s.number(k.field+1, second, found)
	case memory:
		s.memory(value)
	case inode:
		r.Inode, _ = number(value)
	case token:
		s.token(value)
	case dsnWrite:
		s.write, s.written = s.sequence(value)
	case dsnUna:
		if una, ok := s.sequence(value); ok && s.written {
			r.set(Unacked, float64(int64(s.write-una)))
		}
	case dsnOther:
		s.sequence(value)
	}
}

// number reads the value of a field. One that is no number, or not whole, shows that the row is cut.
func (s *ssReader) number(f Field, text []byte, whole bool) {
	v, ok := float(text)
	s.bad = s.bad || !ok || !whole
	s.row.set(f, v)
}

// memory reads skmem:(r0,rb131072,t0,tb46080,f3612,w7396,o0,bl0,d0).
func (s *ssReader) memory(value []byte) {
	value, closed := bytes.CutSuffix(bytes.TrimPrefix(value, []byte("(")), []byte(")"))
	s.bad = s.bad || !closed
	for len(value) > 0 {
		var part []byte
		part, value, _ = bytes.Cut(value, []byte(","))
		name := bytes.TrimRight(part, "0123456789")
		v, ok := number(part[len(name):])
		if k, read := otherFields[string(name)]; read && ok {
			s.row.set(k.field, float64(v))
		}
	}
}

// token reads token:96b4deb of a connection, and token:REMOTE(id:N)/LOCAL(id:N) of a subflow.
func (s *ssReader) token(value []byte) {
	r := &s.row
	remote, local, both := bytes.Cut(value, []byte("/"))
	ok := true
	if both {
		_, r.RemoteID, ok = tokenAndID(remote)
		r.ULP = true
	} else {
		local = remote
	}
	r.LocalToken, r.LocalID, r.HasToken = tokenAndID(local)
	s.bad = s.bad || !ok || !r.HasToken
}

// tokenAndID reads 4fa0185f(id:0); the id is -1 if it is not printed.
func tokenAndID(text []byte) (tok uint32, id int, ok bool) {
	digits, rest, printed := bytes.Cut(text, []byte("("))
	v, ok := hexadecimal(digits)
	n, ok2 := int64(-1), true
	if printed {
		n, ok2 = number(bytes.TrimSuffix(bytes.TrimPrefix(rest, []byte("id:")), []byte(")")))
	}
	return uint32(v), int(n), ok && ok2 && v <= math.MaxUint32
}

// hexadecimal reads up to 16 digits, in small letters.
func hexadecimal(b []byte) (v uint64, ok bool) {
	if len(b) > 16 || bytes.ContainsAny(b, "ABCDEF") {
		return 0, false
	}
	v, err := strconv.ParseUint(string(b), 16, 64)
	return v, err == nil
}

// sequence reads a data sequence number. iproute2 prints hexadecimal numbers up to version 6.5, and decimal
// ones from 6.6 on: a number that cannot be one base proves the other for what follows in the file.
func (s *ssReader) sequence(text []byte) (n uint64, ok bool) {
	switch {
	case bytes.ContainsAny(text, "abcdef"):
		s.base = 16
	case len(text) > 16:
		s.base = 10
	}
	n, err := strconv.ParseUint(string(text), s.base, 64)
	s.row.set(WriteSeq, 1)
	return n, err == nil
}
