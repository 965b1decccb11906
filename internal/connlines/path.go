package connlines

import "mpanalyze/internal/report"

// mixed is why there is no sum of losses that rest on different evidence.
const mixed = "the losses of its subflows rest on different evidence; the report has each"

// flow is what one subflow of a path, or plain TCP, sent in a direction.
type flow = *report.SubDir

// pathOf returns the part of a path that is the sum of its subflows.
func pathOf(name string, subflows []int, flows []flow) Path {
	p := Path{Path: name, Subflows: subflows, Unavailable: map[string]string{}}
	for _, f := range flows {
		p.Segments += f.Segments
		p.RetransmittedSegments += f.RetransmittedSegments
		p.RetransmittedBytes += f.RetransmittedBytes
	}
	p.drops(flows)
	return p
}

// drops fills in the losses of all subflows that sent data.
func (p *Path) drops(flows []flow) {
	var sum Drops
	var sent int64
	for i, f := range flows {
		d := f.Drops
		switch {
		case f.Segments == 0 && (p.Segments > 0 || i > 0):
			continue // it has nothing to lose
		case d == nil:
			p.Unavailable["drops"], _ = f.Unavailable.Of("drops")
			return
		case sum.Evidence != "" && sum.Evidence != d.Evidence:
			p.Unavailable["drops"] = mixed
			return
		}
		sum.Evidence = d.Evidence
		sum.Count += d.Count
		sum.Unresolved += d.Unresolved
		sent += sentSegments(f)
	}
	if sum.Evidence == "" {
		return
	}
	if sent > 0 {
		sum.Percent = new(100 * float64(sum.Count) / float64(sent))
	} else {
		p.Unavailable["drops.percent"], _ = flows[0].Unavailable.Of("drops.percent")
	}
	p.Drops = &sum
}

// sentSegments returns how many segments were sent, the lost ones that the capture does not show
// included: those that were lost before the capture point, and at the receiver all.
func sentSegments(f flow) int64 {
	n := f.Segments + report.Known(f.Drops.BeforeCapture)
	if f.Drops.Evidence == report.Holes {
		n += f.Drops.Count
	}
	return n
}

// settle enters the reason of from for a figure that is null.
func settle(into map[string]string, null bool, name string, from report.Reasons, as string) {
	if null {
		into[name], _ = from.Of(as)
	}
}
