package evidence

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
)

// A finding is a cause that records prove, with the lines that prove it.
type finding struct {
	code  report.CauseCode
	host  int    // side; noHost for none
	text  string // why, as what follows "because"
	lines []report.KernelLine
}

const noHost = -1

// causeFinder is a connection beside the records of both hosts.
type causeFinder struct {
	*Records
	hosts    [2]*host // by side; nil for none
	conn     *report.Connection
	of       *joinedConn
	start    int64
	vantage  report.Vantage
	verdicts *report.List[report.Verdict]
}

// hostOf returns the records of the host that is a side; nil for none. Records whose sockets are
// all of other connections are of another session, and prove nothing.
func (x *Records) hostOf(side int) *host {
	for _, h := range x.hosts {
		if h.foreign {
			continue
		}
		if s, ok := h.side(); ok && string(s) == sideName(side) {
			return h
		}
	}
	return nil
}

// causes gives the verdicts on a connection the causes that records prove.
func (x *Records) causes(c *report.Connection, of *joinedConn) {
	list := slices.Clone(report.Items(c.Verdicts))
	s := &causeFinder{Records: x, conn: c, of: of, start: int64(c.Start), vantage: c.Vantage, verdicts: &list}
	s.hosts = [2]*host{x.hostOf(0), x.hostOf(1)}
	if s.hosts == [2]*host{} {
		return
	}
	s.accounts()
	if c.Verdicts == nil {
		return
	}
	for i := range list {
		if f := s.explain(&list[i]); f != nil {
			f.name(&list[i])
			s.explained(&list[i])
		} else {
			s.shorten(&list[i])
		}
	}
	s.limits()
	s.unused()
	*c.Verdicts = list
}

// name makes a finding the cause of a verdict.
func (f *finding) name(v *report.Verdict) {
	v.Cause = &report.Cause{Code: f.code}
	if f.host != noHost {
		v.Cause.Host = new(report.Side(sideName(f.host)))
	}
	v.Alternatives = nil
	v.Kernel = f.lines
	v.Parameters = append(slices.Clip(v.Parameters), word("because", f.text))
	if len(f.lines) > 0 {
		v.Parameters = append(v.Parameters, word("because_file", f.lines[0].File), figure("because_line", float64(f.lines[0].Line), "count"))
	}
}

// word returns a word for the sentence of a verdict.
func word(name, text string) report.Parameter { return report.Parameter{Name: name, Text: text} }

// figure returns a number for the sentence of a verdict.
func figure(name string, v float64, unit string) report.Parameter {
	return report.Parameter{Name: name, Value: &v, Unit: unit}
}

// explain returns the cause of a verdict; nil if no record proves one.
func (s *causeFinder) explain(v *report.Verdict) *finding {
	directed, onPath := v.Direction != nil, v.Subflow != nil
	switch code := v.Code; {
	case directed && (code == report.VerdictApplication || code == report.VerdictSenderLimited):
		return s.sender(sideOf(*v.Direction))
	case directed && code == report.VerdictWindowClosed:
		return s.receiver(1-sideOf(*v.Direction), *v.Direction)
	case directed && onPath && (code == report.VerdictHoLBlocked || code == report.VerdictHeavyLoss):
		return s.path(*v.Subflow, *v.Direction, code == report.VerdictHeavyLoss)
	case onPath && code == report.VerdictPathDied:
		return s.died(*v.Subflow)
	case onPath && code == report.VerdictJoinUnanswered:
		return s.unanswered(*v.Subflow)
	case onPath && (code == report.VerdictJoinRefused || code == report.VerdictJoinAborted):
		return s.refused(*v.Subflow)
	case code == report.VerdictPathRemoved:
		return s.removed(v)
	case code == report.VerdictSinglePath:
		return s.single()
	case code == report.VerdictAddAddrNotJoined:
		return s.notJoined()
	case code == report.VerdictCaptureGap:
		return s.captureDropped()
	case code == report.VerdictStrippedHandshake:
		return s.sawOption(1)
	}
	return nil
}

// sideNumber returns the number of a side.
func sideNumber(s report.Side) int {
	if s == report.SideB {
		return 1
	}
	return 0
}

// sideOf returns the side that sends the data of a direction.
func sideOf(d report.Direction) int {
	if d == report.A2B {
		return 0
	}
	return 1
}

// line returns a line of a record as a proof.
func (s *causeFinder) line(side int, row sample, field string, value float64, unit, text string) report.KernelLine {
	k := report.KernelLine{Host: report.Side(sideName(side)), File: row.at.File.Path, Line: int64(row.at.Line), Field: field, Value: &value, Unit: &unit, Text: text}
	if t, ok := s.hosts[side].time(row.stamp); ok {
		k.TS = new(float64(t-s.start) / 1e9)
	}
	return k
}

// fact returns a line without time as a proof.
func (s *causeFinder) fact(side int, at hosts.Ref, field string, value int64, text string) report.KernelLine {
	return s.line(side, sample{hosts.NoStamp, at}, field, float64(value), "count", text)
}

// proved returns the cause on a side that a line without time proves.
func (s *causeFinder) proved(code report.CauseCode, side int, at hosts.Ref, field string, value int64, format string, args ...any) *finding {
	return s.sampled(code, side, sample{hosts.NoStamp, at}, field, float64(value), "count", format, args...)
}

// sampled returns the cause on a side that a row proves.
func (s *causeFinder) sampled(code report.CauseCode, side int, row sample, field string, value float64, unit, format string, args ...any) *finding {
	text := fmt.Sprintf(format, args...)
	return &finding{code, side, text, []report.KernelLine{s.line(side, row, field, value, unit, text)}}
}

// ends returns the addresses of a subflow, that of a side first.
func (s *causeFinder) ends(sub, side int) (local, peer netip.Addr, ok bool) {
	if sub < 0 || sub >= len(s.conn.Subflows) {
		return local, peer, false
	}
	x := &s.conn.Subflows[sub]
	k, ok := keyOf(x.A, x.B)
	local, peer = k.a.Addr(), k.b.Addr()
	if side == 1 {
		local, peer = peer, local
	}
	return local, peer, ok
}

// device returns the device of a side that a subflow runs over; nil if it is not known.
func (s *causeFinder) device(sub, side int) *hosts.Interface {
	local, peer, ok := s.ends(sub, side)
	if !ok || s.hosts[side] == nil {
		return nil
	}
	return s.hosts[side].deviceTo(local, peer)
}

// captureDropped returns that the capture of this host lost packets, if its program says so.
func (s *causeFinder) captureDropped() *finding {
	side := map[report.Vantage]int{report.VantageA: 0, report.VantageB: 1}
	at, ok := side[s.vantage]
	if !ok || s.hosts[at] == nil {
		return nil
	}
	l := s.hosts[at].lossyCapture()
	if l == nil {
		return nil
	}
	ref := hosts.Ref{File: l.File, Line: l.DroppedLine}
	return s.proved(report.CauseCaptureDropped, at, ref, "packets dropped by kernel", l.Dropped, "tcpdump says that the kernel dropped %d packets that it did not take in time", l.Dropped)
}

// lossyCapture returns what tcpdump says of a capture that lost packets; nil for none.
func (h *host) lossyCapture() *hosts.CaptureLog {
	for i := range h.Captures {
		if l := &h.Captures[i]; l.Dropped > 0 {
			return l
		}
	}
	return nil
}

// lossy reports whether a capture lost packets: then a hole in it proves nothing.
func (s *causeFinder) lossy() bool {
	for _, h := range s.hosts {
		if h != nil && h.lossyCapture() != nil {
			return true
		}
	}
	return slices.ContainsFunc(*s.verdicts, func(v report.Verdict) bool { return v.Code == report.VerdictCaptureGap })
}

// sawOption returns that a middlebox removed the option of the answer: the server took it for a
// connection of Multipath TCP.
func (s *causeFinder) sawOption(side int) *finding {
	h := s.hosts[side]
	if h == nil || !s.alone() {
		return nil
	}
	n, at, ok := h.Counters.Difference("MPTcpExtMPCapableSYNRX")
	back, at2, ok2 := h.Counters.Difference("MPTcpExtMPCapableFallbackACK")
	if !ok || !ok2 || n == 0 || back == 0 {
		return nil
	}
	text := fmt.Sprintf("%s took the SYN with MP_CAPABLE and answered with it, and no packet after that had the option: a middlebox removed it", sideName(side))
	return &finding{report.CauseOptionRemoved, noHost, text, []report.KernelLine{
		s.fact(side, at, "MPTcpExtMPCapableSYNRX", n, "SYNs with MP_CAPABLE that came"), s.fact(side, at2, "MPTcpExtMPCapableFallbackACK", back, "third packets of the handshake without the option"),
	}}
}

// causesTCP gives the verdicts on a connection of plain TCP their causes.
func (x *Records) causesTCP(c *report.TCP) {
	server := x.hostOf(1)
	s := &causeFinder{Records: x, start: int64(c.Start), hosts: [2]*host{x.hostOf(0), server}, vantage: c.Vantage}
	list := slices.Clone(c.Verdicts)
	for i := range list {
		v := &list[i]
		var f *finding
		switch {
		case v.Code == report.VerdictNotRequested:
			f = s.notRequested(c)
		case server != nil && (v.Code == report.VerdictNotGranted || v.Code == report.VerdictPeerPlain):
			f = s.notGranted(c, server)
		}
		if f != nil {
			f.name(v)
		} else {
			s.shorten(v)
		}
	}
	c.Verdicts = list
}

// notGranted returns why the server did not grant Multipath TCP.
func (s *causeFinder) notGranted(c *report.TCP, server *host) *finding {
	if e, ok := server.Setting("net.mptcp.enabled"); ok && e.Value == "0" {
		return s.proved(report.CauseMPTCPDisabled, 1, e.Ref, e.Name, 0, "net.mptcp.enabled of b is 0")
	}
	if f := s.sawOption(1); f != nil {
		return f
	}
	at, zero := server.Counters.Zero("MPTcpExtMPCapableSYNRX")
	if zero && c.Vantage == report.VantageA && server.listens(c.B.Port) {
		text := "the SYN left a with MP_CAPABLE, and b, whose socket is one of Multipath TCP, saw none with it: a middlebox removed the option"
		return &finding{report.CauseOptionRemoved, noHost, text, []report.KernelLine{s.fact(1, at, "MPTcpExtMPCapableSYNRX", 0, text)}}
	}
	if !zero || c.Vantage != report.VantageB && !server.listensPlain(c.B.Port) {
		return nil // the SYN may have come without the option
	}
	text := "b saw no SYN with MP_CAPABLE on a socket of Multipath TCP, and the SYN came with it: the socket is plain TCP"
	lines := []report.KernelLine{s.fact(1, at, "MPTcpExtMPCapableSYNRX", 0, text)}
	if e, ok := server.Setting("net.mptcp.enabled"); ok {
		lines = append(lines, s.fact(1, e.Ref, e.Name, 1, "the kernel of b allows Multipath TCP"))
	}
	return &finding{report.CausePlainSocket, 1, text, lines}
}

// notRequested returns why the SYN came without MP_CAPABLE.
func (s *causeFinder) notRequested(c *report.TCP) *finding {
	h := s.hosts[0]
	if h == nil {
		return nil
	}
	if e, ok := h.Setting("net.mptcp.enabled"); ok && e.Value == "0" {
		return s.proved(report.CauseMPTCPDisabled, 0, e.Ref, e.Name, 0, "net.mptcp.enabled of a is 0")
	}
	n, at, ok := h.Counters.Difference("MPTcpExtMPCapableSYNTX")
	switch {
	case !ok:
		return nil
	case n == 0:
		if off, _, ok := h.Counters.Difference("MPTcpExtMPCapableSYNTXDisabled"); ok && off > 0 {
			return nil // the kernel left the option out, because SYNs with it got no answer before
		}
		return s.proved(report.CausePlainSocket, 0, at, "MPTcpExtMPCapableSYNTX", 0, "a sent no SYN with MP_CAPABLE: the socket of its application is plain TCP")
	case c.Vantage == report.VantageB && s.alone():
		text := "a sent the SYN with MP_CAPABLE, and it came without: a middlebox removed the option"
		return &finding{report.CauseOptionRemoved, noHost, text, []report.KernelLine{s.fact(0, at, "MPTcpExtMPCapableSYNTX", n, text)}}
	}
	return nil
}

// listens reports whether the records have a listening socket of Multipath TCP on a port: ss lists
// those of plain TCP with what TCP says.
func (h *host) listens(port int) bool {
	return slices.ContainsFunc(h.Listeners, func(l hosts.Listener) bool { return l.Port == port && (l.MPTCP || !l.Sure) })
}

// listensPlain reports whether the records prove that no socket of Multipath TCP listens on a
// port: a list of all such sockets has none.
func (h *host) listensPlain(port int) bool {
	if h.listens(port) {
		return false
	}
	for _, f := range h.Files {
		words := strings.Fields(f.Part)
		if f.Kind != hosts.SS || len(words) < 2 || words[0] != "ss" || f.Cut > 0 {
			continue
		}
		if flags := words[1]; strings.HasPrefix(flags, "-") && strings.Contains(flags, "M") && strings.Contains(flags, "a") {
			return true
		}
	}
	return false
}
