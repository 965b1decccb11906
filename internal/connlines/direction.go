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
