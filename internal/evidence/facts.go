package evidence

import (
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"

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
	"sysctl":    (*question).setting,
	"socket":    (*question).allowed,
	"endpoints": (*question).endpoints,
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
		for i := 0; q.conn != nil && i < len(q.conn.Subflows); i++ {
			other.sub = i
			if x, known := other.fact(rest); known && (!ok || x.value > f.value) {
				f, ok = x, true
			}
		}
		return f, ok
	case "perhaps":
		f, _ = q.fact(rest)
		return f, true
	}
	if q.hosts[q.side] == nil || q.conn == nil && slices.Contains(ofConnection, name) {
		return fact{}, false
	}
	if of := facts[name]; of != nil {
		f, ok = of(q)
	} else if of := factKinds[kind]; of != nil {
		f, ok = of(q, rest)
	} else if x, of := tables().Computed[name]; of {
		f, ok = q.compute(&x)
	} else {
		f, ok = q.rowCount(name)
	}
	f.side = q.side
	return f, ok
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

// number is a fact that no line says.
func number(v float64) (fact, bool) { return fact{value: v}, true }

func truth(b bool) (fact, bool) { return number(float64(one(b))) }

// one returns 1 for what is so, else 0.
func one(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// grown returns by how much a value grew. One from after alone proves only that there was nothing.
func grown(s hosts.State, name string) (fact, bool) {
	n, at, ok := s.Difference(name)
	if !ok {
		at, ok = s.Zero(name)
	}
	return counts(n, at, name), ok
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
		f.value = evaluate(x.Value, q.value)
	}
	if x.Field != "" {
		f.field, f.unit = x.Field, x.Unit
	}
	return f, !math.IsNaN(f.value)
}

// setting returns a setting; one that is no number is 1.
func (q *question) setting(name string) (fact, bool) {
	f, ok := told(q.hosts[q.side].State(hosts.Sysctl, name).Latest(), 1, name)
	if v, err := strconv.ParseInt(f.text, 10, 64); err == nil {
		f.value = float64(v)
	}
	return f, ok
}

// ofConnection are the facts that plain TCP does not have.
var ofConnection = []string{"subflows", "further subflows", "of this path alone", "removal time", "out of order"}

// facts are the facts by their names.
var facts = map[string]func(*question) (fact, bool){
	// Of the capture and the connection.
	"alone":                func(q *question) (fact, bool) { return truth(q.alone()) },
	"plain":                func(q *question) (fact, bool) { return truth(q.conn == nil) },
	"opened":               func(q *question) (fact, bool) { return truth(q.side == 0) },
	"ipv4":                 func(q *question) (fact, bool) { return truth(q.ipv4(q.sub)) },
	"capture lost packets": func(q *question) (fact, bool) { return truth(q.lossy()) },
	"seen here":            func(q *question) (fact, bool) { return truth(string(q.vantage) == sideName(q.side)) },
	"seen at peer":         func(q *question) (fact, bool) { return truth(string(q.vantage) == sideName(1-q.side)) },
	"announced by peer":    func(q *question) (fact, bool) { return truth(q.announced(1 - q.side)) },
	"forbidden by peer":    func(q *question) (fact, bool) { return truth(q.forbidden()) },
	"subflows":             func(q *question) (fact, bool) { return number(float64(len(q.conn.Subflows))) },
	"further subflows":     func(q *question) (fact, bool) { return number(float64(q.further())) },
	"drops":                func(q *question) (fact, bool) { return number(float64(q.drops(q.sub, q.direction))) },
	"trouble":              func(q *question) (fact, bool) { return truth(q.deadly() || q.drops(q.sub, q.direction) > 0) },
	"of this path alone":   func(q *question) (fact, bool) { return truth(q.onlyPath()) },
	"came back":            func(q *question) (fact, bool) { return truth(q.back) },
	"latest cause":         func(q *question) (fact, bool) { return number(q.begins + slack) },
	"path ended":           func(q *question) (fact, bool) { return truth(q.ended()) },

	// Of a device.
	"device":  func(q *question) (fact, bool) { dev := q.path(); return fact{name: dev}, dev != "" },
	"link up": func(q *question) (fact, bool) { l := q.state(hosts.Link).After; return told(l, one(l.Has("UP")), "UP") },
	"link up before": func(q *question) (fact, bool) {
		l := q.state(hosts.Link).Before
		return told(l, one(l.Has("UP")), "UP")
	},
	"queue kind": func(q *question) (fact, bool) { return told(q.state(hosts.Qdisc).After, 0, "") },

	// Of rules, endpoints and sockets that listen.
	"rule":               (*question).rule,
	"rules that dropped": func(q *question) (fact, bool) { return number(float64(len(q.hosts[q.side].DroppedBy()))) },
	"endpoint removed": func(q *question) (fact, bool) { // the endpoint of the path, if it was there before and is not after
		s := q.state(hosts.Endpoints)
		local, _, ok := q.ends(q.sub, q.side)
		if !ok || s.After == nil || s.After.Find(local.String()) != nil {
			return fact{}, false
		}
		return told(s.Before.Find(local.String()), 1, "endpoint")
	},
	"endpoint gone": func(q *question) (fact, bool) { return told(q.state(hosts.Endpoints).After, 0, "endpoint") },
	"removal time":  (*question).removalTime,
	"killed": func(q *question) (fact, bool) {
		e := q.killing()
		if e == nil {
			return fact{}, false
		}
		return told(e, errAborted, "error")
	},
	"kill time":   (*question).killTime,
	"listens":     func(q *question) (fact, bool) { return truth(q.hosts[q.side].listens(q.port)) },
	"lists plain": func(q *question) (fact, bool) { return truth(q.hosts[q.side].listensPlain(q.port)) },
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
		return number(dir.HoLQueueBytes.Avg)
	},
}

// slack is by how much a cause may begin after the last progress before its effect, s: what was on the
// way still arrives.
const slack = 1

// rowCount returns a number of a rowCount of the side, by its name for [rowCounts.value].
func (q *question) rowCount(name string) (fact, bool) {
	rowCount, _, ok := strings.Cut(name, ".")
	if !ok || q.conn == nil {
		return fact{}, false
	}
	x := q.rowCounts()
	return fact{value: x.value(name), at: x.of(rowCount).first}, true
}

// mptcp returns the socket of Multipath TCP of the side; nil if no record has it.
func (q *question) mptcp() *socket {
	if q.of == nil {
		return nil
	}
	return q.of.mptcp[q.side]
}

// allowed returns a limit of the socket of a side: ss prints no 0.
func (q *question) allowed(field string) (fact, bool) {
	m := q.mptcp()
	if m == nil || m.info == 0 {
		return fact{}, false
	}
	return fact{value: m.figure(field).Max(), at: m.first, field: field, unit: "count"}, true
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
	if !h.HasDevice(best) {
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

// endpoints returns how many endpoints are "listed", or "usable": they open subflows; or the first of the "other" ones.
func (q *question) endpoints(which string) (fact, bool) {
	list := q.state(hosts.Endpoints).First()
	if list == nil {
		return fact{}, false
	}
	some := slices.DeleteFunc(slices.Clone(list.List), func(e *hosts.Record) bool { return which != "listed" && wanted(e) != (which == "usable") })
	if which == "other" {
		return told(append(some, nil)[0], 1, "endpoint")
	}
	return told(list, int64(len(some)), "endpoints")
}

// removalTime returns when a side withdrew the address of the path, s since the connection's start.
func (q *question) removalTime() (fact, bool) {
	if q.sub == noSubflow {
		return fact{}, false
	}
	x := &q.conn.Subflows[q.sub]
	id := [2]*int{x.AddressIDA, x.AddressIDB}[q.side]
	for i := range q.conn.Events {
		e := &q.conn.Events[i]
		if e.Kind == report.EventRemoveAddr && e.Direction != nil && sideOf(*e.Direction) == q.side && e.AddressID != nil && id != nil && *e.AddressID == *id {
			return number(e.TS)
		}
	}
	return fact{}, false
}

// killTime returns when the socket of the subflow was closed from outside, s since the connection's start.
func (q *question) killTime() (fact, bool) {
	e := q.killing()
	if e == nil || e.Stamp == hosts.NoStamp {
		return fact{}, false
	}
	zone, _, timed := q.hosts[q.side].zone(q.conn, q.side)
	return fact{value: float64(e.Stamp+zone-q.start) / 1e9}, timed
}
