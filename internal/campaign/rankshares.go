package campaign

import (
	"fmt"
	"strconv"

	"mpanalyze/internal/report"
)

// counted names the figures of the segments that are sent, of those sent again, and of what a
// path carries: those of packets, or those of the sending host's kernel.
type counted struct{ segments, again, carried string }

func (r *Ranking) counted() counted {
	if r.Kernel {
		return counted{kernelSegments, kernelAgain, kernelSent}
	}
	return counted{"segments", "retransmitted_segments", "share_percent"}
}

// evidence says what the figures of a ranking come from; empty for packets.
func (r *Ranking) evidence() report.Evidence {
	if r.Kernel {
		return report.FromKernel
	}
	return ""
}

// checkKernel refuses to rank by counters of the kernel where a run has none: bytes of packets
// and those of a log that ends at its last sample do not compare.
func (s *Set) checkKernel(r *Ranking, figure string) error {
	if !r.Kernel {
		return nil
	}
	for _, sc := range s.Scenarios {
		for _, m := range sc.Runs {
			if _, ok := m.Figure(figure); !ok {
				return fmt.Errorf("%s has no figure %s, a counter of the kernel that sends: every run needs the output of ss at that host, as the run itself or in a folder host-a or host-b beside its capture", nameOf(sc.Name, m.Name), figure)
			}
		}
	}
	return nil
}

// kernelNotes says what the figures are where they are no packets'.
func (r *Ranking) kernelNotes() []string {
	if !r.Kernel {
		return nil
	}
	return []string{"evidence: kernel. Bytes, retransmitted segments and shares are counters of the sending host (ss), copies included, from the first sample to the last row of each subflow"}
}

// retransmission returns the retransmitted segments of all runs, as percent of all that were
// sent.
func (r *Ranking) retransmission(runs []Member) *float64 {
	again, sent := 0.0, 0.0
	for i := range runs {
		again += r.total(&runs[i], r.counted().again)
		sent += r.total(&runs[i], r.counted().segments)
	}
	if sent == 0 {
		return nil
	}
	return new(100 * again / sent)
}

// total returns a number of a run: of packets that of the connection, of the kernel the sum over
// its subflows.
func (r *Ranking) total(m *Member, name string) float64 {
	if !r.Kernel {
		v, _ := m.Figure(string(r.Direction) + "." + name)
		return v
	}
	sum := 0.0
	for _, path := range m.Paths {
		sum += r.ofPath(m, path, name)
	}
	return sum
}

// ofPath returns a number of a path in a run. Subflows that used the path one after the other are
// added.
func (r *Ranking) ofPath(m *Member, path, name string) (sum float64) {
	label := path
	for n := 2; ; n++ {
		v, ok := m.Figure(string(r.Direction) + "." + label + "." + name)
		if !ok {
			return sum
		}
		sum += v
		label = path + "#" + strconv.Itoa(n)
	}
}

// share returns the mean share of a path over the runs, percent. A run counts as 0 if the path
// carried nothing in it.
func (r *Ranking) share(runs []Member, path string) float64 {
	sum := 0.0
	for i := range runs {
		v := r.ofPath(&runs[i], path, r.counted().carried)
		if all := r.total(&runs[i], kernelSent); r.Kernel && all > 0 {
			v *= 100 / all
		}
		sum += v
	}
	return sum / float64(max(1, len(runs)))
}
