package connlines

import "mpanalyze/internal/report"

// Direction is the data of a connection in one direction.
type Direction struct {
	// Application data, each byte counted once; of plain TCP, payload, each position of the stream counted once.
	Bytes *int64 `json:"bytes"`
	// Average goodput of Multipath TCP, average throughput of plain TCP, Mbit/s.
	Mbps *float64 `json:"mbps"`
	// What each path carried and lost.
	Paths []Path `json:"paths"`
	// Why a figure is null, by its name.
	Unavailable map[string]string `json:"unavailable"`
}

// direction returns a direction of Multipath TCP. of returns that direction of a subflow.
func direction(c *report.Connection, d *report.ConnDir, of func(*report.Subflow) flow) *Direction {
	if d == nil {
		return nil
	}
	out := &Direction{Bytes: d.Bytes, Mbps: average(d.Goodput), Paths: make([]Path, len(d.Paths)), Unavailable: map[string]string{}}
	settle(out.Unavailable, out.Bytes == nil, "bytes", d.Unavailable, "bytes")
	settle(out.Unavailable, out.Mbps == nil, "mbps", d.Unavailable, "goodput_mbps")
	for i := range d.Paths {
		out.Paths[i] = share(&d.Paths[i], d.Unavailable, flowsOf(c, d.Paths[i].Subflows, of))
	}
	return out
}

// flowsOf returns one direction of the subflows with these ids.
func flowsOf(c *report.Connection, ids []int, of func(*report.Subflow) flow) (flows []flow) {
	for i := range c.Subflows {
		for _, id := range ids {
			if f := of(&c.Subflows[i]); c.Subflows[i].ID == id && f != nil {
				flows = append(flows, f)
			}
		}
	}
	return flows
}

// plainDirection returns a direction of plain TCP, which has one path.
func plainDirection(path string, d *report.SubDir) *Direction {
	if d == nil {
		return nil
	}
	out := &Direction{Bytes: d.BytesUnique, Mbps: average(d.Throughput), Paths: []Path{plainPath(path, d)}, Unavailable: map[string]string{}}
	settle(out.Unavailable, out.Bytes == nil, "bytes", d.Unavailable, "bytes_unique")
	settle(out.Unavailable, out.Mbps == nil, "mbps", d.Unavailable, "throughput_mbps")
	return out
}

// average returns the average of a rate; nil where there is none.
func average(s *report.RateStat) *float64 {
	if s == nil {
		return nil
	}
	return &s.Avg
}

// settle enters the reason of from for a figure that is null.
func settle(into map[string]string, null bool, name string, from report.Reasons, as string) {
	if null {
		into[name], _ = from.Of(as)
	}
}

// Path is what one path, with one or more subflows, carried and lost in one direction.
type Path struct {
	// Label of the path (--label), else its two addresses.
	Path string `json:"path" csv:"path"`
	// Ids of its subflows; 0 of plain TCP.
	Subflows []int `json:"subflows" csv:"subflows"`
	// Payload bytes that were captured on it, copies included; of Multipath TCP those that a mapping covers.
	Bytes *int64 `json:"bytes" csv:"bytes"`
	// Part of the data of the direction that it was the first to carry, percent.
	Share *float64 `json:"share_percent" csv:"share_percent"`
	// Data segments sent, in units of the MSS.
	Segments int64 `json:"segments" csv:"segments"`
	// Data segments with any byte that had been sent before on the same subflow.
	RetransmittedSegments int64 `json:"retransmitted_segments" csv:"retransmitted_segments"`
	// Payload bytes that had been sent before on the same subflow.
	RetransmittedBytes int64 `json:"retransmitted_bytes" csv:"retransmitted_bytes"`
	// Bytes that had been sent before on another subflow, or on this one under another number.
	ReinjectedBytes *int64 `json:"reinjected_bytes" csv:"reinjected_bytes"`
	// Segments lost on the path.
	Drops *Drops `json:"drops" csv:"drops"`
	// Why a figure is null, by its name.
	Unavailable map[string]string `json:"unavailable"`
}

// Drops is the loss on a path: that of its subflows together.
type Drops struct {
	// Segments dropped.
	Count int64 `json:"count" csv:"drops"`
	// Segments of which it is not known whether they arrived.
	Unresolved int64 `json:"unresolved" csv:"drops_unresolved"`
	// Dropped / sent segments, percent; null where none was sent.
	Percent *float64 `json:"percent" csv:"drops_percent"`
	// What the count rests on: "inferred" is retransmitted copies less reported duplicates, "holes" a lower bound.
	Evidence report.Evidence `json:"evidence" csv:"drops_evidence"`
}

// mixed is why there is no sum of losses that rest on different evidence.
const mixed = "the losses of its subflows rest on different evidence; the report has each"

// flow is what one subflow of a path, or plain TCP, sent in a direction.
type flow = *report.SubDir

// share returns what a path of Multipath TCP carried. why has the reasons of its direction.
func share(s *report.PathShare, why report.Reasons, flows []flow) Path {
	p := pathOf(s.Path, s.Subflows, flows)
	p.Bytes, p.Share, p.ReinjectedBytes = s.Bytes, s.Percent, s.ReinjectedBytes
	p.settle(why, "paths[].")
	return p
}

// plainPath returns what the path of plain TCP carried.
func plainPath(path string, d flow) Path {
	p := pathOf(path, []int{0}, []flow{d})
	p.Bytes, p.Share, p.ReinjectedBytes = d.Bytes, d.Share, d.ReinjectedBytes
	p.settle(d.Unavailable, "")
	return p
}

// settle enters the reasons for figures that are null. why has them, by names with this prefix.
func (p *Path) settle(why report.Reasons, prefix string) {
	settle(p.Unavailable, p.Bytes == nil, "bytes", why, prefix+"bytes")
	settle(p.Unavailable, p.Share == nil, "share_percent", why, prefix+"share_percent")
	settle(p.Unavailable, p.ReinjectedBytes == nil, "reinjected_bytes", why, prefix+"reinjected_bytes")
}

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
