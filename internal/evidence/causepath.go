package evidence

import (
	"cmp"
	"fmt"
	"net/netip"

	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
)

// path returns why a subflow delays or loses the data of a direction. If it is loss that is to be
// explained, a queue that only delayed is no cause.
func (s *causeFinder) path(sub int, d report.Direction, loss bool) *finding {
	from := sideOf(d)
	queue, dropped := s.queue(sub, from)
	if queue != nil && (dropped || !loss) {
		return queue
	}
	if s.drops(sub, d) == 0 {
		return nil // nothing was dropped, so nobody dropped it
	}
	if f := s.transmit(sub, from); f != nil {
		return f
	}
	if h := s.hosts[1-from]; h != nil {
		if n, at, name, ok := h.memoryDrops(); ok && n > 0 && s.alone() {
			return s.proved(report.CauseMemory, 1-from, at, name, n, "%s threw away %d segments that had arrived, because its memory was full", sideName(1-from), n)
		}
	}
	if f := s.ended(sub); f != nil {
		return f
	}
	if !s.ipv4(sub) {
		return nil
	}
	if f := s.firewall(sub); f != nil {
		return f
	}
	return s.network(sub, from)
}

// ipv4 reports whether a subflow uses IPv4. What rules drop of IPv6 cannot be told from its
// counters, which count packets to groups that the host is not in.
func (s *causeFinder) ipv4(sub int) bool {
	local, _, ok := s.ends(sub, 0)
	return ok && local.Is4()
}

// ended returns how a host ended a subflow.
func (s *causeFinder) ended(sub int) *finding {
	for side, h := range s.hosts {
		if h == nil {
			continue
		}
		for _, of := range []func(int, int) *finding{s.down, s.deleted, s.killed} {
			if f := of(sub, side); f != nil {
				return f
			}
		}
	}
	return nil
}

// alone reports whether the connection is the only one that the counters of the hosts count.
func (s *causeFinder) alone() bool {
	n := 0
	seen := map[*joinedConn]bool{}
	for _, list := range s.joined {
		for _, j := range list {
			if !seen[j.of] {
				seen[j.of] = true
				n++
			}
		}
	}
	return n == 1
}

// drops returns the segments that a direction of a subflow lost.
func (s *causeFinder) drops(sub int, d report.Direction) int64 {
	dir := s.conn.Subflows[sub].Dir(d)
	if dir == nil || dir.Drops == nil {
		return 0
	}
	return dir.Drops.Count
}

// transmit returns that the device of a side dropped packets instead of sending them.
func (s *causeFinder) transmit(sub, side int) *finding {
	dev := s.device(sub, side)
	if dev == nil || dev.After == nil || !dev.After.HasCounters {
		return nil
	}
	n := dev.After.TxDropped
	if n == 0 || dev.Before == nil { // what was dropped since the start of the device proves nothing
		return nil
	}
	if n -= dev.Before.TxDropped; n <= 0 {
		return nil
	}
	return s.proved(report.CauseInterface, side, hosts.Ref{File: dev.After.File, Line: dev.After.TxLine}, "TX dropped", n, "the device %s of %s dropped %d packets instead of sending them", dev.Dev, sideName(side), n)
}

// firewall returns that a rule of a host drops packets: one that names the path of the subflow, or
// one that the counters of a host prove, if it has no other connection.
func (s *causeFinder) firewall(sub int) *finding {
	for side, h := range s.hosts {
		if h == nil {
			continue
		}
		for _, r := range h.Dropped() {
			if s.ruled(&r, sub, side) {
				return s.proved(report.CauseFirewall, side, r.Ref, "packets", r.Packets, "a rule of %s dropped %d packets: %s", sideName(side), r.Packets, r.Text)
			}
		}
		if !s.alone() {
			continue
		}
		if n, at, ok := h.droppedIn(); ok && n > 1 {
			return s.proved(report.CauseFirewall, side, at, "IpInReceives", n, "%d packets reached the IP layer of %s and no socket: a rule dropped them", n, sideName(side))
		}
		if n, at, ok := h.droppedOut(); ok && n > 1 {
			return s.proved(report.CauseFirewall, side, at, "IpOutRequests", n, "%s made %d packets that no device got: a rule dropped them", sideName(side), n)
		}
	}
	return nil
}

// ruled reports whether a rule of a side names the path of a subflow.
func (s *causeFinder) ruled(r *hosts.Rule, sub, side int) bool {
	local, peer, ok := s.ends(sub, side)
	dev := ""
	if d := s.device(sub, side); d != nil {
		dev = d.Dev
	}
	return ok && r.Names(dev, local, peer)
}

// dropsOut reports whether a side may have dropped packets that it made. A capture there shows
// what left.
func (s *causeFinder) dropsOut(side int) bool {
	if string(s.vantage) == sideName(side) {
		return false
	}
	n, _, ok := s.hosts[side].droppedOut()
	return !ok || n > 1
}

// network returns that the network between both hosts lost packets of a subflow: both were
// recorded, and neither dropped any.
func (s *causeFinder) network(sub, from int) *finding {
	if s.lossy() {
		return nil
	}
	var lines []report.KernelLine
	for side, h := range s.hosts {
		if h == nil {
			return nil
		}
		dev := s.device(sub, side)
		if dev == nil || dev.After == nil || !dev.After.HasCounters || !dev.After.Up {
			return nil
		}
		before := cmp.Or(dev.Before, &hosts.LinkState{})
		dropped, at, what := dev.After.RxDropped-before.RxDropped, dev.After.RxLine, "RX dropped"
		if side == from {
			if dev.QueueAfter == nil {
				return nil
			}
			dropped, at, what = dev.After.TxDropped-before.TxDropped, dev.After.TxLine, "TX dropped"
		}
		if dropped != 0 {
			return nil
		}
		in, _, ok := h.droppedIn()
		mem, _, _, ok2 := h.memoryDrops()
		if !ok || !ok2 || in > 0 || side != from && mem > 0 || s.dropsOut(side) {
			return nil
		}
		text := fmt.Sprintf("the device %s of %s is up and dropped nothing", dev.Dev, sideName(side))
		lines = append(lines, s.fact(side, hosts.Ref{File: dev.After.File, Line: at}, what, 0, text))
	}
	return &finding{report.CauseNetwork, noHost, "neither host dropped packets of it: its devices are up, its queues and rules dropped nothing, and its sockets took what came", lines}
}

// died returns why a subflow makes no progress any more.
func (s *causeFinder) died(sub int) *finding {
	if f := s.ended(sub); f != nil || !s.ipv4(sub) {
		return f
	}
	if f := s.firewall(sub); f != nil {
		return f
	}
	var lines []report.KernelLine
	for side, h := range s.hosts {
		dev := s.device(sub, side)
		if h == nil || dev == nil || dev.After == nil || !dev.After.Up || h.After == nil && h.Endpoints == nil {
			return nil
		}
		if in, _, ok := h.droppedIn(); !ok || in > 0 || s.dropsOut(side) {
			return nil
		}
		text := fmt.Sprintf("the device %s of %s is up", dev.Dev, sideName(side))
		lines = append(lines, s.fact(side, dev.After.Ref, "UP", 1, text))
	}
	return &finding{report.CauseNetwork, noHost, "the devices of both hosts are up, their endpoints are there, and no rule dropped packets: the network between them carries nothing", lines}
}

// down returns that the device of a side is down, and was not before.
func (s *causeFinder) down(sub, side int) *finding {
	dev := s.device(sub, side)
	if dev == nil || dev.After == nil || dev.After.Up || dev.Before == nil || !dev.Before.Up {
		return nil
	}
	return s.proved(report.CauseInterfaceDown, side, dev.After.Ref, "UP", 0, "the device %s of %s is down, and it was up before", dev.Dev, sideName(side))
}

// deleted returns that the endpoint of a side was removed.
func (s *causeFinder) deleted(sub, side int) *finding {
	h := s.hosts[side]
	local, _, ok := s.ends(sub, side)
	if !ok || h.Endpoints == nil || h.After == nil {
		return nil
	}
	was := endpointOf(h.Endpoints, local)
	if was == nil || endpointOf(h.After, local) != nil {
		return nil
	}
	f := s.proved(report.CauseEndpointDeleted, side, h.After.Ref, "endpoint", 0, "the endpoint %s of %s was removed", local, sideName(side))
	f.lines = append(f.lines, s.fact(side, was.Ref, "endpoint", 1, "it was there before"))
	return f
}

// endpointOf returns the endpoint with an address; nil if the list has none.
func endpointOf(l *hosts.EndpointList, a netip.Addr) *hosts.Endpoint {
	for i := range l.List {
		if l.List[i].Addr == a {
			return &l.List[i]
		}
	}
	return nil
}

// errAborted is the error of a subflow that this host closed.
const errAborted = 103

// killed returns that a side closed the socket of a subflow from outside.
func (s *causeFinder) killed(sub, side int) *finding {
	local, peer, ok := s.ends(sub, side)
	if !ok {
		return nil
	}
	x := &s.conn.Subflows[sub]
	ports := [2]int{x.A.Port, x.B.Port}
	for i := range s.hosts[side].events {
		e := &s.hosts[side].events[i]
		if e.Name != "SF_CLOSED" || e.Error != errAborted || e.Local.Addr() != local || e.Remote.Addr() != peer || int(e.Local.Port()) != ports[side] || int(e.Remote.Port()) != ports[1-side] {
			continue
		}
		return s.proved(report.CauseKilled, side, e.Ref, "error", errAborted, "%s closed the socket of the subflow from outside (SF_CLOSED, error 103)", sideName(side))
	}
	return nil
}

// removed returns why a host withdrew an address.
func (s *causeFinder) removed(v *report.Verdict) *finding {
	for i := range s.conn.Subflows {
		if v.Subflow != nil && *v.Subflow != i {
			continue
		}
		for side, h := range s.hosts {
			if h == nil {
				continue
			}
			if f := s.down(i, side); f != nil {
				return f
			}
			if f := s.deleted(i, side); f != nil {
				return f
			}
		}
	}
	return nil
}
