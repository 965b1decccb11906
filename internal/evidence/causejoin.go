package evidence

import (
	"cmp"
	"fmt"
	"slices"

	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
)

// single returns why A, which opened the connection, opened no further subflow.
func (s *causeFinder) single() *finding {
	const side = 0
	h := s.hosts[side]
	if h == nil || s.of == nil || s.of.mptcp[side] == nil || s.of.mptcp[side].info == 0 {
		return nil
	}
	m := s.of.mptcp[side]
	if m.subflowMax == 0 {
		text := "a allows no further subflow: its socket has subflows_max 0"
		lines := []report.KernelLine{s.line(side, m.first, "subflows_max", 0, "count", text)}
		if h.Limits != nil && h.Limits.Subflows == 0 {
			lines = append(lines, s.fact(side, h.Limits.Ref, "subflows", 0, "the limit of subflows is 0"))
		}
		return &finding{report.CauseSubflowLimit, side, text, lines}
	}
	if h.Endpoints == nil {
		return nil
	}
	usable, flagged := 0, (*hosts.Endpoint)(nil)
	for i := range h.Endpoints.List {
		e := &h.Endpoints.List[i]
		if wanted(*e) {
			usable++
		} else if flagged == nil {
			flagged = e
		}
	}
	if usable > 0 || s.announced(1) {
		return s.attempted(side)
	}
	if flagged != nil {
		return s.proved(report.CauseEndpointFlag, side, flagged.Ref, "endpoint", 1, "the endpoint %s of a has not the flag subflow", flagged.Addr)
	}
	return s.proved(report.CauseNoEndpoint, side, h.Endpoints.Ref, "endpoints", 0, "a has no endpoint for a further subflow, and allows %.0f", m.subflowMax)
}

// announced reports whether a side announced an address.
func (s *causeFinder) announced(side int) bool {
	return slices.ContainsFunc(s.conn.Events, func(e report.Event) bool {
		return e.Kind == report.EventAddAddr && e.Direction != nil && sideOf(*e.Direction) == side
	})
}

// attempted returns why a subflow that a side wanted did not leave it.
func (s *causeFinder) attempted(side int) *finding {
	if f := s.noRoute(side); f != nil {
		return f
	}
	h, m := s.hosts[side], s.of.mptcp[side]
	if !s.announced(1-side) || m.acceptMax > 0 || h.Limits != nil && h.Limits.Accepted > 0 {
		return nil
	}
	text := fmt.Sprintf("%s joins no announced address: its limit add_addr_accepted is 0", sideName(side))
	lines := []report.KernelLine{s.line(side, m.first, "add_addr_accepted_max", 0, "count", text)}
	if h.Limits != nil {
		lines = append(lines, s.fact(side, h.Limits.Ref, "add_addr_accepted", 0, "its limit is 0"))
	}
	return &finding{report.CauseAddAddrLimit, side, text, lines}
}

// noRoute returns that a side has no route from an endpoint.
func (s *causeFinder) noRoute(side int) *finding {
	n, at, ok := s.hosts[side].Counters.Difference("MPTcpExtMPJoinSynTxConnectErr")
	if !ok || n <= 0 || !s.alone() {
		return nil
	}
	return s.proved(report.CauseNoRoute, side, at, "MPTcpExtMPJoinSynTxConnectErr", n, "%s could not send the SYN of a further subflow %d times: it has no route from the endpoint", sideName(side), n)
}

// notJoined returns why a host did not join an address that the other one announced.
func (s *causeFinder) notJoined() *finding {
	for side, h := range s.hosts {
		if h == nil || !s.announced(1-side) || s.of == nil || s.of.mptcp[side] == nil || s.of.mptcp[side].info == 0 {
			continue
		}
		if side == 0 && s.of.mptcp[side].subflowMax == 0 {
			return s.single()
		}
		return s.attempted(side)
	}
	return nil
}

// unanswered returns why the SYNs of a subflow got no answer: what the host says to which they
// went. Without its records nothing is known.
func (s *causeFinder) unanswered(sub int) *finding {
	initiator := s.conn.Subflows[sub].Initiator
	if initiator == nil {
		return nil
	}
	to := 1 - sideNumber(*initiator)
	h := s.hosts[to]
	if h == nil || !s.alone() || !s.ipv4(sub) {
		return nil
	}
	at, none := h.Counters.Zero("MPTcpExtMPJoinSynRx")
	if !none {
		return nil
	}
	in, _, ok := h.droppedIn()
	switch {
	case !ok:
		return nil
	case in > 0:
		return s.firewall(sub)
	}
	if _, zero := h.Counters.Zero("TcpOutRsts"); !zero {
		return nil
	}
	for _, r := range h.Dropped() {
		if s.ruled(&r, sub, to) {
			return s.firewall(sub)
		}
	}
	if string(s.vantage) != string(*initiator) {
		return nil // the capture does not show that the SYN left
	}
	dev := s.device(sub, to)
	if dev == nil || dev.After == nil || !dev.After.HasCounters {
		return nil
	}
	if dev.After.Received > cmp.Or(dev.Before, &hosts.LinkState{}).Received {
		return nil // something came over the device, and a rule below the IP layer is possible
	}
	text := fmt.Sprintf("the SYNs left %s, and none came to %s: its device %s received nothing", *initiator, sideName(to), dev.Dev)
	return &finding{report.CauseNetwork, noHost, text, []report.KernelLine{
		s.fact(to, at, "MPTcpExtMPJoinSynRx", 0, text), s.fact(to, hosts.Ref{File: dev.After.File, Line: dev.After.RxLine}, "RX packets", 0, "its device received nothing"),
	}}
}

// refused returns why a host refused a subflow.
func (s *causeFinder) refused(sub int) *finding {
	by := s.conn.Subflows[sub].ClosedBy
	if by == nil {
		return nil
	}
	side := sideNumber(*by)
	h := s.hosts[side]
	if h == nil || !s.alone() {
		return nil
	}
	name := sideName(side)
	if n, at, ok := h.Counters.Difference("MPTcpExtMPJoinNoTokenFound"); ok && n > 0 {
		return s.proved(report.CauseTokenUnknown, side, at, "MPTcpExtMPJoinNoTokenFound", n, "%s does not know the token of the join", name)
	}
	syns, at, ok := h.Counters.Difference("MPTcpExtMPJoinSynRx")
	if !ok {
		return nil
	}
	if syns > 0 {
		return s.rejected(side)
	}
	rsts, at2, ok := h.Counters.Difference("TcpOutRsts")
	if !ok || rsts == 0 {
		return nil
	}
	text := fmt.Sprintf("no socket of %s listens there: it answered by RST, and counts no SYN with MP_JOIN", name)
	return &finding{report.CauseNoListener, side, text, []report.KernelLine{s.fact(side, at2, "TcpOutRsts", rsts, text), s.fact(side, at, "MPTcpExtMPJoinSynRx", 0, "no SYN with MP_JOIN came to a socket")}}
}

// rejected returns that a side allows no further subflow.
func (s *causeFinder) rejected(side int) *finding {
	h, name := s.hosts[side], sideName(side)
	n, at, ok := h.Counters.Difference("MPTcpExtMPJoinRejected")
	none := h.Limits != nil && h.Limits.Subflows == 0
	if !none && (!ok || n == 0) {
		return nil
	}
	text := fmt.Sprintf("%s allows no further subflow", name)
	f := &finding{code: report.CauseSubflowLimit, host: side, text: text}
	if ok && n > 0 {
		f.lines = append(f.lines, s.fact(side, at, "MPTcpExtMPJoinRejected", n, "joins that it rejected"))
	}
	if none {
		f.lines = append(f.lines, s.fact(side, h.Limits.Ref, "subflows", 0, "its limit of subflows is 0"))
	}
	return f
}
