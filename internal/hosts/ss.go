package hosts

import (
	"bytes"
	"net/netip"
)

// sampleGap is the pause between two stamps of lines that begins another sample, ns. Where a
// program stamps every line, the lines of one sample have stamps next to each other.
const sampleGap = 20e6

// ssReader reads samples of ss.
type ssReader struct {
	file  *File
	row   Row
	ends  map[string]netip.AddrPort // by the text of an address and port, so that a row allocates nothing
	inRow bool                      // of TCP or Multipath TCP
	kind  string                    // as the row says; empty if it does not
	bad   bool                      // the row ends too early
	other bool                      // the row is of another kind

	fresh       bool // no row of the sample was counted
	stamp       int64
	base        int    // of data sequence numbers
	write       uint64 // write_seq of the row
	written     bool   // it is known
	lastControl string
	lastState   string
	take        func(*Row)
}

// maxEnds bounds the texts of addresses that are kept.
const maxEnds = 1 << 16

func newSSReader(f *File, take func(*Row)) *ssReader {
	s := &ssReader{file: f, ends: map[string]netip.AddrPort{}, stamp: NoStamp, fresh: true, base: 16, take: take}
	s.row.reset()
	s.row.File = f
	return s
}

// line reads a line.
func (s *ssReader) line(l *lines) {
	text := l.text
	if at, rest, resolution, ok := stampOf(text); ok {
		s.stampLine(at, resolution, len(rest) == 0)
		if len(rest) == 0 {
			return
		}
		text = rest
	}
	switch form, kind, state, rest := headOf(text); {
	case form == "state" || form == "other":
		s.flush()
		if s.other = form == "other"; !s.other {
			s.begin(l.n, state, kind, rest)
		}
	case len(text) > 0 && (text[0] == ' ' || text[0] == '\t' || s.inRow && continues(text)):
		if s.inRow {
			s.details(text, l.broken)
		} else if !s.other {
			s.file.leave(l)
		}
	default:
		s.flush()
		s.other = false
		s.file.leave(l)
	}
	if l.broken {
		s.file.cut(s.row.Line)
		s.inRow = false
	}
}

// stampLine begins another sample, or notes the stamp of a line.
func (s *ssReader) stampLine(at, resolution int64, alone bool) {
	apart := at - s.stamp
	if alone || s.stamp == NoStamp || apart > sampleGap || apart < -sampleGap {
		s.flush()
		s.fresh = true
		s.stamp = at
	}
	s.file.stamp(at)
	s.file.Resolution = resolution
}

// headOf returns the form of the word with which a line begins, that word and the rest of the line: "state" if it begins
// a row of a socket, "other" for a row of another kind of socket or a header. kind is that which the row says; empty if it does not.
func headOf(text []byte) (form, kind string, word, rest []byte) {
	if len(text) < 5 || text[0] < 'A' || text[0] > 'z' {
		return "", "", nil, nil
	}
	word, rest = nextWord(text)
	if form = keys[string(word)].form; form == "socket" {
		kind = "tcp"
		if word[0] == 'm' {
			kind = "mptcp"
		}
		word, rest = nextWord(rest)
		form = keys[string(word)].form
	}
	if form == "made" {
		form = "other"
	}
	return form, kind, word, rest
}

// begin begins a row: queues, both ends, and what stands behind them on the line.
func (s *ssReader) begin(n int, state []byte, kind string, rest []byte) {
	s.row.reset()
	s.row.MPTCP, s.kind = kind == "mptcp", kind
	if string(state) != s.lastState { // a string of its own would be allocated for each row
		s.lastState = string(state)
	}
	s.row.Line, s.row.State, s.row.Stamp = n, s.lastState, s.stamp
	s.inRow, s.bad, s.written = true, false, false
	recv, rest := nextWord(rest)
	send, rest := nextWord(rest)
	local, rest := nextWord(rest)
	peer, rest := nextWord(rest)
	s.number(RecvQ, recv, true)
	s.number(SendQ, send, true)
	s.row.Local, s.row.Peer = s.end(local), s.end(peer)
	if !s.bad {
		s.details(rest, false)
	}
}

// end reads an address and port. Where they cannot be read, the end stays empty; a text that cannot be an end
// at all shows that the row is cut.
func (s *ssReader) end(text []byte) netip.AddrPort {
	at, known := s.ends[string(text)]
	if known {
		return at
	}
	at, ok := parseEnd(text)
	s.bad = s.bad || !ok
	if ok && len(s.ends) < maxEnds {
		s.ends[string(text)] = at
	}
	return at
}

// parseEnd reads 10.2.2.1%p2:5001, [fd00::1]:5001, [fe80::1]%p2:22, *:* and the like.
func parseEnd(text []byte) (netip.AddrPort, bool) {
	i := bytes.LastIndexByte(text, ':')
	if i <= 0 || i == len(text)-1 {
		return netip.AddrPort{}, false
	}
	host, port := text[:i], text[i+1:]
	p, digits := number(port)
	if digits && p > 65535 {
		return netip.AddrPort{}, false
	}
	a, ok := parseAddr(host)
	if !ok {
		return netip.AddrPort{}, true
	}
	return netip.AddrPortFrom(a, uint16(p)), true
}

// parseAddr reads an address in brackets or not, with an interface behind it or not. IPv4
// mapped into IPv6 is IPv4.
func parseAddr(text []byte) (netip.Addr, bool) {
	if j := bytes.IndexByte(text, '%'); j >= 0 {
		text = text[:j]
	}
	text = bytes.TrimSuffix(bytes.TrimPrefix(text, []byte("[")), []byte("]"))
	a, err := netip.ParseAddr(string(text))
	if err != nil {
		return netip.Addr{}, false
	}
	return a.Unmap(), true
}

// continues reports whether a line that begins without a blank carries on a row: text that was
// wrapped to the width of a terminal.
func continues(text []byte) bool {
	word, _ := nextWord(text)
	i := bytes.IndexByte(word, ':')
	return i > 0 && i < len(word)-1 && word[0] >= 'a' && word[0] <= 'z' && keys[string(word[:i+1])].form != ""
}

// flush hands out the row that was read.
func (s *ssReader) flush() {
	if !s.inRow {
		return
	}
	s.inRow = false
	f, r := s.file, &s.row
	if s.bad {
		f.cut(r.Line)
		return
	}
	if s.fresh {
		s.fresh = false
		f.Samples++
	}
	f.Rows++
	if s.kind == "" {
		r.MPTCP = !r.ULP && !r.Has(RTO) && !r.Has(Cwnd) && (r.HasToken || r.Has(WriteSeq) || r.Has(SubflowsMax))
	}
	if r.Has(Fallback) { // it has no data sequence numbers any more
		r.has &^= 1 << Unacked
	}
	kind := 0
	if r.MPTCP {
		kind = 1
	}
	f.Largest[kind].raise(&r.Values)
	s.take(r)
}
