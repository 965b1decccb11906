package hosts

import (
	"cmp"
	"slices"
)

// Counters are the counters of a host before and after.
type Counters struct {
	Before, After *Snapshot // nil if there is none

	compared [2]*Snapshot // Before and After when shrunk was found out
	shrunk   bool
}

// Snapshot is the counters at one time.
type Snapshot struct {
	File   *File
	Zeros  bool // counters of value 0 are listed, so that an absent counter does not exist
	Values map[string]Counter
	rank   int // see beforeAfter
	order  int
	json   bool
}

// Counter is the value of one counter.
type Counter struct {
	Value int64
	Line  int
}

// maxCounters bounds the counters of a snapshot.
const maxCounters = 8192

// Value returns the value of a counter, and its place. A counter that is not there is unknown.
func (s *Snapshot) Value(name string) (v int64, at Ref, ok bool) {
	if s == nil {
		return 0, Ref{}, false
	}
	c, ok := s.Values[name]
	return c.Value, Ref{s.File, c.Line}, ok
}

// Why the differences of counters are not available.
const (
	WhyNoBefore = "no counters from before the session"
	WhyNoAfter  = "no counters"
	WhyShrunk   = "a counter is smaller after than before, so the host was restarted or the files are of two hosts"
)

// Difference returns by how much a counter grew, and the place of the later value. It is
// not ok if either value is unknown.
func (c *Counters) Difference(name string) (v int64, at Ref, ok bool) {
	after, at, ok := c.After.Value(name)
	if !ok || c.Why() != "" {
		return 0, at, false
	}
	before, _, had := c.Before.Value(name)
	if !had && c.Before.Zeros {
		return 0, at, false
	}
	return after - before, at, true
}

// Zero reports whether a counter is known to have counted nothing: its difference is 0, or
// its value after is.
func (c *Counters) Zero(name string) (at Ref, ok bool) {
	if v, at, ok := c.Difference(name); ok {
		return at, v == 0
	}
	v, at, ok := c.After.Value(name)
	return at, ok && v == 0
}

// Why returns why differences are not available; empty if they are.
func (c *Counters) Why() string {
	switch {
	case c.After == nil:
		return WhyNoAfter
	case c.Before == nil:
		return WhyNoBefore
	}
	if now := [2]*Snapshot{c.Before, c.After}; c.compared != now {
		c.compared, c.shrunk = now, c.shrink()
	}
	if c.shrunk {
		return WhyShrunk
	}
	return ""
}

// shrink reports whether a counter is smaller after than before.
func (c *Counters) shrink() bool {
	for name, v := range c.Before.Values {
		if after, ok := c.After.Values[name]; ok && after.Value < v.Value && !gauge(name) {
			return true
		}
	}
	return false
}

// gauge reports whether a counter may shrink because it counts what is there.
func gauge(name string) bool {
	return name == "MPTcpExtMPCurrEstab" || name == "TcpCurrEstab"
}

// settle finds out which snapshots are the first and the last.
func (h *Host) settleCounters() {
	s := h.snapshots
	if len(s) == 0 {
		return
	}
	slices.SortStableFunc(s, func(x, y *Snapshot) int {
		return cmp.Or(cmp.Compare(x.rank, y.rank), cmp.Compare(x.sum(), y.sum()), cmp.Compare(x.order, y.order))
	})
	defer h.Counters.Why() // compares the snapshots once, while nobody else reads them
	h.Counters.After = better(s, s[len(s)-1])
	if first := better(s, s[0]); first != h.Counters.After && (first.rank < h.Counters.After.rank || first.sum() <= h.Counters.After.sum()) {
		if first.Zeros == h.Counters.After.Zeros || first.Zeros {
			h.Counters.Before = first
		}
	}
}

// better returns a snapshot with the values of s that lists zeros and has a line for each
// counter, if there is one.
func better(all []*Snapshot, s *Snapshot) *Snapshot {
	score := func(x *Snapshot) int {
		n := 0
		if x.Zeros {
			n += 2
		}
		if !x.json {
			n++
		}
		return n
	}
	best := s
	for _, x := range all {
		if x.rank == s.rank && x.rank != middle && score(x) > score(best) {
			best = x
		}
	}
	return best
}

// sum returns the sum of the counters.
func (s *Snapshot) sum() (n int64) {
	for _, v := range s.Values {
		n += v.Value
	}
	return n
}
