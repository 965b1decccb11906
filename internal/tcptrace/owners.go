package tcptrace

import (
	"cmp"
	"slices"

	"mpanalyze/internal/seq"
)

// owners knows which subflow was the first to carry data.
type owners struct{ runs []owned } // ascending, disjoint

// owned is a run of data and the subflow that carried it first.
type owned struct {
	seq.Range[seq.DSN]
	sub int
}

// maxRuns bounds the runs of a direction; past it the lower half is forgotten,
// for what is reinjected is what was not acknowledged yet.
const maxRuns = 1 << 14

// add enters data that was not carried before.
func (o *owners) add(r seq.Range[seq.DSN], sub int) {
	n := len(o.runs)
	if n > 0 && o.runs[n-1].End == r.Start && o.runs[n-1].sub == sub {
		o.runs[n-1].End = r.End
		return
	}
	if n == maxRuns {
		o.runs = slices.Delete(o.runs, 0, n/2)
	}
	i, _ := slices.BinarySearchFunc(o.runs, r.Start, func(x owned, at seq.DSN) int { return cmp.Compare(x.Start, at) })
	o.runs = slices.Insert(o.runs, i, owned{r, sub})
}

// each tells f of the subflows that first carried r, and how much of it. What
// nobody is known for is left out.
func (o *owners) each(r seq.Range[seq.DSN], f func(sub int, octets int64)) {
	i, _ := slices.BinarySearchFunc(o.runs, r.Start, func(x owned, at seq.DSN) int { return cmp.Compare(x.End, at+1) })
	for ; i < len(o.runs) && o.runs[i].Start < r.End; i++ {
		f(o.runs[i].sub, o.runs[i].Intersect(r).Len())
	}
}
