package evidence

import (
	"maps"
	"math"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
)

// A fact is what records, or the packets, say of one thing that causes depend on.
type fact struct {
	value float64
	name  string // in sentences, of a record or device
	text  string // in sentences, of a record
	at    sample // where it stands; without a file for what no line says
	field string // by the name that the kernel gives it
	unit  string
	side  int // of the records
}

const (
	leastRows     = 8   // rows of a socket from which on they prove something
	queueDelay    = 5.0 // ms that a queue of the host adds to the round trip
	queueDelayPer = 0.1 // the same as a part of the round trip
	slack         = 1   // by how much a cause may begin after the last progress before its effect, s: what was on the way still arrives
	errAborted    = 103 // of a subflow that this host closed
)

// factKinds are the facts whose names have two parts: the kind of a record, and the name of a value of
// it. "no" is 0 for a counter that is known to have counted nothing.
var factKinds = map[string]func(q *question, name string) (fact, bool){
	"nstat": func(q *question, name string) (fact, bool) { return grown(q.state(hosts.Nstat), name) },
	"link":  func(q *question, name string) (fact, bool) { return grown(q.state(hosts.Link), name) },
	"queue": func(q *question, name string) (fact, bool) { return grown(q.state(hosts.Qdisc), name) },
	"limit": func(q *question, name string) (fact, bool) {
		n, at, ok := q.state(hosts.Limits).Latest().Value(name)
		return counts(n, at, name), ok
	},
	"no": func(q *question, name string) (fact, bool) {
		at, ok := q.state(hosts.Nstat).Zero(name)
		return counts(0, at, name), ok
	},
	"sysctl": func(q *question, name string) (fact, bool) { // one that is no number is 1
		f, ok := told(q.hosts[q.side].State(hosts.Sysctl, name).Latest(), 1, name)
		if v, err := strconv.ParseInt(f.text, 10, 64); err == nil {
			f.value = float64(v)
		}
		return f, ok
	},
	"socket": func(q *question, field string) (fact, bool) { // a limit of the socket: ss prints no 0
		m := q.mptcp()
		if m == nil || m.info == 0 {
			return fact{}, false
		}
		return fact{value: m.figures.of(field).most, at: m.first, field: field, unit: "count"}, true
	},
	"endpoints": func(q *question, which string) (fact, bool) { // how many are "listed", or "usable": they open subflows; or the first of the "other" ones
		list := q.state(hosts.Endpoints).First()
		if list == nil {
			return fact{}, false
		}
		some := slices.DeleteFunc(slices.Clone(list.List), func(e *hosts.Record) bool {
			return which != "listed" && (e.Has("subflow") || e.Has("fullmesh")) != (which == "usable")
		})
		if which == "other" {
			return told(append(some, nil)[0], 1, "endpoint")
		}
		return told(list, int64(len(some)), "endpoints")
	},
}

// facts are the facts by their names.
var facts = map[string]func(*question) (fact, bool){
	// Of the capture and the connection.
	"alone":  func(q *question) (fact, bool) { return truth(q.conns == 1) },
	"plain":  func(q *question) (fact, bool) { return truth(q.plain) },
	"opened": func(q *question) (fact, bool) { return truth(q.side == 0) },
	"ipv4": func(q *question) (fact, bool) { // what rules drop of IPv6 cannot be told from its counters, which count packets to groups that the host is not in
		local, _, ok := q.ends(q.sub, 0)
		return truth(ok && local.Is4())
	},
	"capture lost packets": func(q *question) (fact, bool) { return truth(q.lossy()) },
	"seen here":            func(q *question) (fact, bool) { return truth(string(q.conn.Vantage) == sideName(q.side)) },
	"seen at peer":         func(q *question) (fact, bool) { return truth(string(q.conn.Vantage) == sideName(1-q.side)) },
	"announced by peer":    func(q *question) (fact, bool) { return truth(q.announced(1 - q.side)) },
	"forbidden by peer":    func(q *question) (fact, bool) { return truth(q.forbidden()) },
	"subflows":             func(q *question) (fact, bool) { return number(float64(len(q.conn.Subflows)), !q.plain) },
	"further subflows": func(q *question) (fact, bool) {
		n := int64(0)
		for i, s := range q.conn.Subflows {
			n += one(i > 0 && s.State != report.SubflowRefused && s.State != report.SubflowUnanswered)
		}
		return number(float64(n), !q.plain)
	},
	"drops":              func(q *question) (fact, bool) { return number(float64(q.drops(q.sub, q.direction)), true) },
	"trouble":            func(q *question) (fact, bool) { return truth(q.deadly() || q.drops(q.sub, q.direction) > 0) },
	"of this path alone": func(q *question) (fact, bool) { return number(float64(one(q.onlyPath())), !q.plain) },
	"came back":          func(q *question) (fact, bool) { return truth(q.back) },
	"latest cause":       func(q *question) (fact, bool) { return number(q.begins+slack, true) },
	"path ended":         func(q *question) (fact, bool) { return truth(q.deadly() || q.sub != noSubflow && q.dead(q.sub)) }, // what is only slow has not ended

	// Of a device.
	"device":         func(q *question) (fact, bool) { dev := q.path(); return fact{name: dev}, dev != "" },
	"link up":        func(q *question) (fact, bool) { return up(q.state(hosts.Link).After) },
	"link up before": func(q *question) (fact, bool) { return up(q.state(hosts.Link).Before) },
	"queue kind":     func(q *question) (fact, bool) { return told(q.state(hosts.Qdisc).After, 0, "") },

	// Of rules, endpoints, events and sockets that listen.
	"rule":               (*question).rule,
	"rules that dropped": func(q *question) (fact, bool) { return number(float64(len(q.hosts[q.side].DroppedBy())), true) },
	"endpoint removed": func(q *question) (fact, bool) { // the endpoint of the path, if it was there before and is not after
		s := q.state(hosts.Endpoints)
		local, _, ok := q.ends(q.sub, q.side)
		if !ok || s.After == nil || s.After.Find(local.String()) != nil {
			return fact{}, false
		}
		return told(s.Before.Find(local.String()), 1, "endpoint")
	},
	"endpoint gone": func(q *question) (fact, bool) { return told(q.state(hosts.Endpoints).After, 0, "endpoint") },
	"removal time": func(q *question) (fact, bool) { // when the side withdrew the address of the path, s since the connection's start
		if q.sub == noSubflow {
			return fact{}, false
		}
		x := &q.conn.Subflows[q.sub]
		id := [2]*int{x.AddressIDA, x.AddressIDB}[q.side]
		for _, e := range q.conn.Events {
			if e.Kind == report.EventRemoveAddr && e.Direction != nil && sideOf(*e.Direction) == q.side && e.AddressID != nil && id != nil && *e.AddressID == *id {
				return number(e.TS, true)
			}
		}
		return fact{}, false
	},
	"killed": func(q *question) (fact, bool) { return told(q.killing(), errAborted, "error") },
	"kill time": func(q *question) (fact, bool) { // when the socket of the subflow was closed from outside, s since the connection's start
		e := q.killing()
		if e == nil || e.Stamp == hosts.NoStamp {
			return fact{}, false
		}
		zone, _, timed := q.hosts[q.side].zone(q.conn, q.side)
		return number(float64(e.Stamp+zone-int64(q.conn.Start))/1e9, timed)
	},
	"listens": func(q *question) (fact, bool) { return truth(q.hosts[q.side].listens(q.port)) },
	"lists plain": func(q *question) (fact, bool) { // a list of all sockets of Multipath TCP has none that listens
		h := q.hosts[q.side]
		lists := func(f *hosts.File) bool { return f.Kind == hosts.SS && f.Cut == 0 && listsAll().MatchString(f.Part) }
		return truth(!h.listens(q.port) && slices.ContainsFunc(h.Files, lists))
	},
	"capture dropped": func(q *question) (fact, bool) {
		l := q.hosts[q.side].lossyCapture()
		n, _, _ := l.Value(hosts.Dropped)
		return told(l, n, "packets dropped by kernel")
	},

	// Of the rows of sockets, beside those that are tallied, and what waits for data.
	"round trip in queue": (*question).roundTripInQueue,
	"out of order": func(q *question) (fact, bool) { // bytes that wait for missing ones count as unread
		dir := q.conn.Dir(q.direction)
		if dir == nil || dir.HoLQueueBytes == nil {
			return fact{}, false
		}
		return number(dir.HoLQueueBytes.Avg, true)
	},
}

// fact returns a fact about the side that is asked; it is not ok if it is not known. If the name begins with "peer" it is
// one about its peer, with "any" the largest of all subflows, and with "perhaps" 0 if it is not known.
func (q *question) fact(name string) (f fact, ok bool) {
	kind, rest, _ := strings.Cut(name, " ")
	other := *q
	switch kind {
	case "peer":
		other.side = 1 - q.side
		return other.fact(rest)
	case "any":
		for other.sub = range q.conn.Subflows {
			if x, known := other.fact(rest); known && (!ok || x.value > f.value) {
				f, ok = x, true
			}
		}
		return f, ok
	case "perhaps":
		f, _ = q.fact(rest)
		return f, true
	}
	if q.hosts[q.side] == nil {
		return fact{}, false
	}
	if of := facts[name]; of != nil {
		f, ok = of(q)
	} else if of := factKinds[kind]; of != nil {
		f, ok = of(q, rest)
	} else if x, of := tables().Computed[name]; of {
		f, ok = q.compute(&x)
	} else if of, _, count := strings.Cut(name, "."); count && !q.plain { // see [figures.value]
		x := q.figures()
		f, ok = fact{value: x.value(name), at: x.of(of).cited}, true
	}
	f.side = q.side
	return f, ok
}

// compute returns a fact that is made of others.
func (q *question) compute(x *computed) (f fact, ok bool) {
	for _, name := range x.Of {
		if v, known := q.fact(name); known && (!ok || v.value > f.value) {
			f, ok = v, true
		}
	}
	if !ok && len(x.Of) > 0 || !q.all(x.When) {
		return fact{}, false
	}
	if x.Value != "" {
		f.value = q.evaluate(x.Value)
	}
	if x.Field != "" {
		f.field, f.unit = x.Field, x.Unit
	}
	return f, !math.IsNaN(f.value)
}

// counts is a fact that a line without time counts.
func counts(n int64, at hosts.Ref, field string) fact {
	return fact{value: float64(n), at: sample{hosts.NoStamp, at}, field: field, unit: "count"}
}

// told is a fact that a record counts; it is not known without the record.
func told(r *hosts.Record, n int64, field string) (fact, bool) {
	if r == nil {
		return fact{}, false
	}
	f := counts(n, r.Ref, field)
	f.name, f.text = r.Name, r.Text
	return f, true
}

// up is whether a device is up.
func up(r *hosts.Record) (fact, bool) { return told(r, one(r.Has("UP")), "UP") }

// grown returns by how much a value grew. One from after alone proves only that there was nothing.
func grown(s hosts.State, name string) (fact, bool) {
	n, at, ok := s.Difference(name)
	if !ok {
		at, ok = s.Zero(name)
	}
	return counts(n, at, name), ok
}

// number is a fact that no line says.
func number(v float64, known bool) (fact, bool) { return fact{value: v}, known }

func truth(b bool) (fact, bool) { return number(float64(one(b)), true) }

// one returns 1 for what is so, else 0.
func one(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// state returns what the records of the side say of the thing of a kind that the verdict concerns.
func (q *question) state(k hosts.Kind) hosts.State {
	name := ""
	if k == hosts.Link || k == hosts.Qdisc {
		if name = q.path(); name == "" {
			return hosts.State{}
		}
	}
	return q.hosts[q.side].State(k, name)
}

// path returns the device that the verdict concerns; empty if it is not known.
func (q *question) path() string {
	if q.endpoint != nil {
		return q.hosts[q.side].DeviceOf(q.endpoint.Addr())
	}
	local, peer, ok := q.ends(q.sub, q.side)
	if !ok {
		return ""
	}
	return q.hosts[q.side].deviceTo(local, peer)
}

// deviceTo returns the device over which a host reaches a peer from an address: the one that
// has the address, unless that is the loopback device, else that of the most specific route.
func (h *host) deviceTo(local, peer netip.Addr) string {
	if dev := h.DeviceOf(local); dev != "" && dev != "lo" {
		return dev
	}
	best, bits := "", -1
	for _, r := range h.Records[hosts.Route] {
		prefix, ok := hosts.Prefix(r.Name)
		if ok && prefix.Contains(peer) && prefix.Bits() > bits {
			best, bits = r.Text, prefix.Bits()
		}
	}
	if h.Device(best) == nil {
		return ""
	}
	return best
}

// rule returns the first rule that dropped packets and names the path, with how many.
func (q *question) rule() (fact, bool) {
	local, peer, ok := q.ends(q.sub, q.side)
	dev := q.path()
	for _, r := range q.hosts[q.side].DroppedBy() {
		if ok && q.hosts[q.side].Names(r, dev, local, peer) {
			return told(r, r.Values[hosts.RulePackets].N, hosts.RulePackets)
		}
	}
	return fact{}, false
}

// deadly reports whether the verdict says that nothing passes.
func (q *question) deadly() bool { return slices.Contains(lethal, q.code) }

// onlyPath reports whether what a counter of a whole host says can concern this subflow alone: no other
// one has the same trouble, and no rule that dropped packets names another path.
func (q *question) onlyPath() bool {
	for i := range q.conn.Subflows {
		lost := q.drops(i, report.A2B)+q.drops(i, report.B2A) > 0
		if i != q.sub && (q.deadly() && q.dead(i) || !q.deadly() && lost) {
			return false
		}
	}
	_, named := q.rule()
	return named || len(q.hosts[q.side].DroppedBy()) == 0
}

// lossyCapture returns what tcpdump says of a capture that lost packets; nil for none.
func (h *host) lossyCapture() *hosts.Record {
	return h.First(hosts.Tcpdump, func(r *hosts.Record) bool { return r.Values[hosts.Dropped].N > 0 })
}

// lossy reports whether a capture lost packets: then a hole in it proves nothing.
func (s *causeFinder) lossy() bool {
	lost := func(h *host) bool { return h != nil && h.lossyCapture() != nil }
	return slices.ContainsFunc(s.hosts[:], lost) || s.said(nil, report.VerdictCaptureGap)
}

// listens reports whether the records have a listening socket of Multipath TCP on a port: ss lists
// those of plain TCP with what TCP says.
func (h *host) listens(port int) bool {
	return h.First(hosts.Listener, func(l *hosts.Record) bool { return int(l.Local.Port()) == port && l.Name != "plain" }) != nil
}

// listsAll finds a command that lists all sockets of Multipath TCP.
var listsAll = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^ss\s+-\S*(M\S*a|a\S*M)`) })

// killing returns the event that a side closed the socket of the subflow from outside; nil for none.
func (q *question) killing() *hosts.Record {
	return q.hosts[q.side].First(hosts.Monitor, func(e *hosts.Record) bool {
		sub := subflowOf(e, q.conn, q.side)
		return e.Name == "SF_CLOSED" && e.Values[hosts.Error].N == errAborted && sub != nil && q.sub != noSubflow && *sub == q.conn.Subflows[q.sub].ID
	})
}

// forbidden reports whether the peer takes no further subflow at its first address, as the packets or the path manager say.
func (q *question) forbidden() bool {
	byPeer := func(v *report.Verdict) bool {
		return slices.ContainsFunc(v.Parameters, func(p report.Parameter) bool { return p.Name == "by" && p.Text == sideName(1-q.side) })
	}
	denied := func(e *hosts.Record) bool { return e.Has(hosts.DenyJoin) && subflowOf(e, q.conn, q.side) != nil }
	return q.said(byPeer, report.VerdictJoinForbidden) || q.hosts[q.side].First(hosts.Monitor, denied) != nil
}

// mptcp returns the socket of Multipath TCP of the side; nil if no record has it.
func (q *question) mptcp() *socket {
	if q.of == nil {
		return nil
	}
	return q.of.mptcp[q.side]
}

// figures returns those of the socket of Multipath TCP of the side, and adds up those of its TCP sockets.
func (q *question) figures() figures {
	x := q.totals[q.side]
	if x != nil {
		return x
	}
	x = figures{}
	q.totals[q.side] = x
	for i := range q.conn.Subflows {
		a := q.lookup(&q.conn.Subflows[i], q.conn.Start)[q.side]
		if a == nil || a.disproved&(1<<sentBytes|1<<ackedBytes) != 0 {
			continue
		}
		for name, t := range a.socket.figures {
			x.merge(name, t)
		}
		if slices.ContainsFunc(a.socket.controls, func(name string) bool { return strings.HasPrefix(name, "bbr") }) {
			x.merge("bbr", &figure{n: 1})
		}
	}
	if m := q.mptcp(); m != nil {
		maps.Copy(x, m.figures)
	}
	return x
}

// roundTripInQueue returns by how much the round trips that the kernel measures are longer than those of
// the packets, which are captured behind its queue, ms; it is not ok if that is within what they may be off.
func (q *question) roundTripInQueue() (fact, bool) {
	if q.sub == noSubflow {
		return fact{}, false
	}
	a := q.lookup(&q.conn.Subflows[q.sub], q.conn.Start)[q.side]
	if a == nil || !a.here || a.disproved&(1<<roundTrip) != 0 || a.socket.figures.of("sent").n < leastRows {
		return fact{}, false
	}
	d := a.agreement().SRTT.KernelMinusPackets
	if d == nil || *d <= max(queueDelay, queueDelayPer*a.socket.figures.value("srtt_ms.q0.5")) {
		return fact{}, false
	}
	return fact{value: *d, at: a.socket.figures.of("sent").cited, field: "rtt", unit: "ms"}, true
}
