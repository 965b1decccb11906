package campaign

import (
	"cmp"
	"slices"
	"strconv"

	"mpanalyze/internal/report"
)

// AllPathsSent is the figure of a connection that adds kernel_bytes_sent of its paths.
const AllPathsSent = kernelPrefix + "bytes_sent_all_paths"

// The figures of a subflow by which the counters of a kernel rank scenarios.
const (
	kernelSent     = kernelPrefix + "bytes_sent"
	kernelSegments = kernelPrefix + "data_segments_sent"
	kernelAgain    = kernelPrefix + "retransmitted_segments"
)

// OfLogs reports whether a run of a scenario is a log of ss alone.
func (s *Set) OfLogs() bool {
	return slices.ContainsFunc(s.Members(), func(m *Member) bool { return m.Log })
}

// addAllPaths adds the sum of what the kernel sent on all paths, if it is known of each that
// carried data.
func (r *Run) addAllPaths(d report.Direction, labels []string) {
	sum, some := 0.0, false
	have := r.figures()
	for _, l := range labels {
		if l == "" {
			continue
		}
		v, ok := have[string(d)+"."+l+"."+kernelSent]
		if !ok {
			return
		}
		sum, some = sum+v, true
	}
	if some {
		r.add(string(d)+"."+AllPathsSent, sum)
	}
}

// LogSubflow is what a log of ss, taken at the host that sends, says of a subflow.
type LogSubflow struct {
	Path            string
	Ends            [2]string // addresses
	Sent, Received  int64     // bytes
	Segments, Again int64     // sent, and sent again
}

// OfLog returns the figures of a run that is a log of ss alone: the bytes and segments that the
// kernel of a host sent on each path. They have the names that records beside a capture have.
func OfLog(side report.Side, subflows []LogSubflow) *Run {
	r := &Run{Version: new(1), Vantage: report.Vantage(side), Log: true}
	out, in := report.A2B, report.B2A
	if side == report.SideB {
		out, in = in, out
	}
	order := slices.Clone(subflows)
	slices.SortStableFunc(order, func(x, y LogSubflow) int { return cmp.Compare(y.Sent+y.Received, x.Sent+x.Received) })
	var sent, received int64
	used := map[string]int{}
	for i := range order {
		s := &order[i]
		sent, received = sent+s.Sent, received+s.Received
		r.Addresses, r.AllPaths = append(r.Addresses, s.Ends[:]...), append(r.AllPaths, s.Path)
		if s.Sent+s.Received == 0 {
			continue
		}
		r.Paths = append(r.Paths, s.Path)
		label := s.Path
		if used[s.Path]++; used[s.Path] > 1 {
			label += "#" + strconv.Itoa(used[s.Path])
		}
		at := string(out) + "." + label + "."
		r.add(at+kernelSent, float64(s.Sent))
		r.add(at+kernelSegments, float64(s.Segments))
		r.add(at+kernelAgain, float64(s.Again))
	}
	r.add(string(out)+"."+AllPathsSent, float64(sent))
	if r.Bulk = out; received > sent {
		r.Bulk = in
	}
	r.sort()
	r.Paths, r.AllPaths, r.Addresses = distinct(r.Paths), distinct(r.AllPaths), distinct(r.Addresses)
	return r
}
