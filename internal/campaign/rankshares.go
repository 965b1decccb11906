package campaign

import "strconv"

// retransmission returns the retransmitted segments of all runs, as percent of all that were
// sent.
func (r *Ranking) retransmission(runs []Member) *float64 {
	again, sent := 0.0, 0.0
	for i := range runs {
		again += r.total(&runs[i], "retransmitted_segments")
		sent += r.total(&runs[i], "segments")
	}
	if sent == 0 {
		return nil
	}
	return new(100 * again / sent)
}

// total returns a number of the connection in a run.
func (r *Ranking) total(m *Member, name string) float64 {
	v, _ := m.Figure(string(r.Direction) + "." + name)
	return v
}

// share returns the mean share of a path over the runs, percent. A run counts as 0 if the path
// carried nothing in it. Subflows that used the path one after the other are added.
func (r *Ranking) share(runs []Member, path string) float64 {
	sum := 0.0
	for i := range runs {
		label := path
		for n := 2; ; n++ {
			v, ok := runs[i].Figure(string(r.Direction) + "." + label + ".share_percent")
			if !ok {
				break
			}
			sum += v
			label = path + "#" + strconv.Itoa(n)
		}
	}
	return sum / float64(max(1, len(runs)))
}
