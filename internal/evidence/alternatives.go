package evidence

import (
	"slices"

	"mpanalyze/internal/report"
)

// shorten removes from what remains possible for a verdict what the records exclude.
func (s *causeFinder) shorten(v *report.Verdict) {
	v.Alternatives = slices.DeleteFunc(slices.Clone(v.Alternatives), func(c report.Cause) bool {
		if c.Host == nil {
			return false
		}
		side := sideNumber(*c.Host)
		return s.hosts[side] != nil && s.excludes(v, c.Code, side)
	})
}

// excludes reports whether the records of a side exclude that a cause of a verdict lies there.
func (s *causeFinder) excludes(v *report.Verdict, code report.CauseCode, side int) bool {
	h := s.hosts[side]
	switch code {
	case report.CauseApplication, report.CauseSendBuffer, report.CauseReceiveBuffer, report.CauseCwndClamp:
		return v.Direction != nil && s.of != nil && s.excludesLimit(v, code, side)
	case report.CauseMemory:
		n, _, _, ok := h.memoryDrops()
		return ok && n == 0
	case report.CauseFirewall:
		n, _, ok := h.droppedIn()
		return ok && n == 0 && !s.dropsOut(side) && v.Subflow != nil && s.ipv4(*v.Subflow) && len(h.Dropped()) == 0
	case report.CauseInterface:
		return v.Subflow != nil && s.sentAll(*v.Subflow, side)
	case report.CauseMPTCPDisabled:
		e, ok := h.Setting("net.mptcp.enabled")
		return ok && e.Value != "0"
	case report.CausePlainSocket:
		return s.conn == nil && side == 0 && s.counted(side, "MPTcpExtMPCapableSYNTX") && s.alone()
	}
	return s.excludesJoin(code, side)
}

// sentAll reports whether the device of a side dropped nothing that it had to send on a subflow.
func (s *causeFinder) sentAll(sub, side int) bool {
	dev := s.device(sub, side)
	return dev != nil && dev.Before != nil && dev.After != nil && dev.After.HasCounters && dev.After.TxDropped == dev.Before.TxDropped
}

// counted reports whether a counter of a side counted something.
func (s *causeFinder) counted(side int, name string) bool {
	n, _, ok := s.hosts[side].Counters.Difference(name)
	return ok && n > 0
}

// excludesLimit reports whether the rows of a side exclude what limits a direction.
func (s *causeFinder) excludesLimit(v *report.Verdict, code report.CauseCode, side int) bool {
	m := s.of.mptcp[side]
	if side != sideOf(*v.Direction) { // the side receives
		if m == nil || m.buffers.receive.N() < leastRows {
			return false
		}
		b := &m.buffers
		return code == report.CauseApplication && b.receive.Quantiles(0.8)[0] <= fewUnread ||
			code == report.CauseReceiveBuffer && median(&b.receive) >= manyUnread && !s.outOfOrder(*v.Direction, b)
	}
	t, _ := s.total(side)
	if t.rows < leastRows {
		return false
	}
	switch code {
	case report.CauseApplication:
		return t.part(t.written) >= 1-mostWritten // data waited
	case report.CauseCwndClamp:
		return t.part(t.atWindow) <= belowWindow // no window was used up
	case report.CauseSendBuffer:
		return m != nil && m.buffers.send.N() >= leastRows && m.buffers.send.Quantiles(1)[0] <= littleMemory // it was never full
	}
	return false
}

// excludesJoin reports whether the records of a side exclude a reason for which a subflow is
// missing or was refused.
func (s *causeFinder) excludesJoin(code report.CauseCode, side int) bool {
	h := s.hosts[side]
	zero := func(name string) bool {
		_, none := h.Counters.Zero(name)
		return none
	}
	switch code {
	case report.CauseNoRoute:
		return zero("MPTcpExtMPJoinSynTxConnectErr")
	case report.CauseTokenUnknown:
		return zero("MPTcpExtMPJoinNoTokenFound")
	case report.CauseNoListener:
		return zero("TcpOutRsts")
	case report.CauseSubflowLimit:
		if s.of == nil || s.of.mptcp[side] == nil || s.of.mptcp[side].info == 0 || s.conn == nil {
			return false
		}
		return float64(s.further()) < s.of.mptcp[side].subflowMax
	case report.CauseAddAddrLimit:
		return s.of != nil && s.of.mptcp[side] != nil && s.of.mptcp[side].acceptMax > 0
	case report.CauseNoEndpoint, report.CauseEndpointFlag:
		return h.Endpoints != nil && slices.ContainsFunc(h.Endpoints.List, wanted)
	}
	return false
}
