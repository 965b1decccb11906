package hosts

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
)

// Record is what a file says of one thing of its host: a device, a queue, all its counters, a rule, an event of ip mptcp
// monitor. Values of an event are its decimal numbers, flags what has none.
type Record struct {
	Ref           // the line at which it begins
	Thing         // what it tells of
	Text   string // what is no number: the value of a setting, the kind of a queue, the device of an endpoint, a rule or route itself
	Flags  []string
	Values map[string]Value // numbers, by the names that the kernel gives them; bounded by maxCounters
	List   []*Record        // of a list: its lines; bounded by maxLines
	Zeros  bool             // counters of value 0 are listed, so that an absent counter does not exist

	Addresses     []netip.Addr // of a device; bounded by maxLines
	Stamp         int64        // of an event, ns since the Unix epoch, with -ts as if the local time were UTC; NoStamp without any
	Token         string       // of an event, in the form of reports; empty for none
	Local, Remote netip.AddrPort

	rank int  // see beforeAfter
	json bool // its values have no lines of their own
}

// Thing is what records tell of. Where a file tells of one thing, it has no name.
type Thing struct {
	Kind Kind
	Name string // of a device, a setting, or an event; the address of an endpoint
}

// Value is a number, and the line that has it.
type Value struct {
	N    int64
	Line int
}

// State is a thing before and after the session: nil if no file tells it. Of two files whose names do not
// tell, the counters do; one file alone is from after.
type State struct {
	Before, After *Record
	shrunk        bool // a counter is smaller after
}

const (
	// maxLines bounds each list of lines that a host keeps.
	maxLines = 4096
	// maxCounters bounds the values of a record.
	maxCounters = 8192
	// maxEvents bounds the events of a host.
	maxEvents = 1 << 16
)

// add keeps a record, if there is room for it.
func (h *Host) add(r *Record) *Record {
	if h.Records == nil {
		h.Records = map[Kind][]*Record{}
	}
	if list := h.Records[r.Kind]; len(list) < maxLines || r.Kind == Monitor && len(list) < maxEvents {
		h.Records[r.Kind] = append(list, r)
	}
	return r
}

// set enters a value.
func (r *Record) set(name string, v int64, line int) {
	if r.Values == nil {
		r.Values = map[string]Value{}
	}
	if len(r.Values) < maxCounters {
		r.Values[name] = Value{v, line}
		r.Zeros = r.Zeros || v == 0
	}
}

// Value returns a value, and its place. One that is not there is unknown.
func (r *Record) Value(name string) (n int64, at Ref, ok bool) {
	if r == nil {
		return 0, Ref{}, false
	}
	v, ok := r.Values[name]
	return v.N, Ref{r.File, v.Line}, ok
}

// Has reports whether the record has a flag.
func (r *Record) Has(flag string) bool { return r != nil && slices.Contains(r.Flags, flag) }

// Addr returns the address of an endpoint.
func (r *Record) Addr() netip.Addr {
	a, _ := netip.ParseAddr(r.Name)
	return a
}

// Find returns the line of a list about a name; nil for none.
func (r *Record) Find(name string) *Record {
	for i := 0; r != nil && i < len(r.List); i++ {
		if r.List[i].Name == name {
			return r.List[i]
		}
	}
	return nil
}

// State returns what is known of a thing before and after.
func (h *Host) State(k Kind, name string) State { return h.States[Thing{k, name}] }

// Latest returns the last record, nil if there is none.
func (s State) Latest() *Record { return cmp.Or(s.After, s.Before) }

// First returns the first record, nil if there is none.
func (s State) First() *Record { return cmp.Or(s.Before, s.After) }

// Why differences of values are not available.
const (
	WhyNoBefore = "no counters from before the session"
	WhyNoAfter  = "no counters"
	WhyShrunk   = "a counter is smaller after than before, so the host was restarted or the files are of two hosts"
)

// Why returns why differences are not available; empty if they are.
func (s State) Why() string {
	switch {
	case s.After == nil:
		return WhyNoAfter
	case s.Before == nil:
		return WhyNoBefore
	case s.shrunk:
		return WhyShrunk
	}
	return ""
}

// Difference returns by how much a value grew, and the place of the later one. It is not ok if either is
// unknown. What counts only if it is not 0 is 0 where it is absent.
func (s State) Difference(name string) (n int64, at Ref, ok bool) {
	after, at, ok := s.After.Value(name)
	if !ok || s.Why() != "" {
		return 0, at, false
	}
	before, _, had := s.Before.Value(name)
	if !had && s.Before.Zeros {
		return 0, at, false
	}
	return after - before, at, true
}

// Zero reports whether a value is known to have counted nothing: its difference is 0, or its value after
// is.
func (s State) Zero(name string) (at Ref, ok bool) {
	if n, at, ok := s.Difference(name); ok {
		return at, n == 0
	}
	n, at, ok := s.After.Value(name)
	return at, ok && n == 0
}

// settle finds out which records of each thing are the first and the last, of the kinds that tell of things that have a state.
func (h *Host) settle() {
	byThing := map[Thing][]*Record{}
	for _, k := range []Kind{Nstat, Link, Qdisc, Limits, Endpoints, Sysctl} {
		for _, r := range h.Records[k] {
			byThing[r.Thing] = append(byThing[r.Thing], r)
		}
	}
	h.States = map[Thing]State{}
	for thing, list := range byThing {
		h.States[thing] = stateOf(list)
	}
}

// stateOf returns the first and the last of the records of a thing. A part of a bundle adds nothing to a
// file of its own. Among records whose names tell when they were made, one that lists zeros, and one that has a line for
// each value, is worth more.
func stateOf(list []*Record) (s State) {
	key := func(r *Record) []int {
		worth := 0
		if r.Zeros {
			worth = 2
		}
		if !r.json {
			worth++
		}
		return []int{r.rank, worth * (r.rank - middle), int(r.sum()), -len(r.File.Part)}
	}
	slices.SortStableFunc(list, func(x, y *Record) int { return slices.Compare(key(x), key(y)) })
	if last := list[len(list)-1]; last.rank != before {
		s.After = last
	}
	first := list[0]
	for _, r := range list {
		if first.File.Part != "" && r.File.Part == "" && r.rank == first.rank && r.sum() == first.sum() {
			first = r
		}
	}
	told := s.After == nil || first.rank < s.After.rank || first != s.After && len(first.Values) > 0 && first.sum() <= s.After.sum()
	if told && (s.After == nil || first.Zeros || !s.After.Zeros) {
		s.Before = first
	}
	if s.Before != nil {
		for name, v := range s.Before.Values {
			now, _, ok := s.After.Value(name)
			s.shrunk = s.shrunk || ok && now < v.N && !slices.Contains(gauges, name)
		}
	}
	return s
}

// gauges are the values that may shrink because they count what is there.
var gauges = []string{"MPTcpExtMPCurrEstab", "TcpCurrEstab", "backlog"}

// sum returns the sum of the values that do not shrink.
func (r *Record) sum() (n int64) {
	for name, v := range r.Values {
		if !slices.Contains(gauges, name) {
			n += v.N
		}
	}
	return n
}

// The ranks of files by what their names say about time.
const (
	before = iota
	middle // the name says nothing
	after
)

// rankOf returns the word for the rank of a name.
var rankOf = firstOf("ranks.txt", "", "")

// beforeAfter returns what the name of a file says about when it was made: nstat.before,
// nstat-after.txt, nstat1, link.2.
func beforeAfter(name string) int {
	return map[string]int{"before": before, "": middle, "after": after}[rankOf(strings.ToLower(name))]
}
