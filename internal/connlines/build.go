package connlines

import "mpanalyze/internal/report"

// multipath returns the line of a connection of Multipath TCP.
func multipath(c *report.Connection) *Line {
	l := &Line{
		Kind: "mptcp", ID: c.ID, Version: c.Version, Vantage: c.Vantage, State: string(c.State), Start: c.Start, DurationS: c.DurationS,
		Subflows: len(c.Subflows), TokenA: c.TokenA, TokenB: c.TokenB, FallbackCode: c.FallbackCode, Verdicts: verdicts(report.Items(c.Verdicts)),
		A2B: direction(c, c.A2B, func(s *report.Subflow) flow { return s.A2B }),
		B2A: direction(c, c.B2A, func(s *report.Subflow) flow { return s.B2A }),
	}
	if len(c.Subflows) > 0 {
		l.A, l.B = &c.Subflows[0].A, &c.Subflows[0].B
	}
	return l
}

// plain returns the line of a connection of plain TCP.
func plain(c *report.TCP) *Line {
	return &Line{
		Kind: "tcp", ID: c.ID, Vantage: c.Vantage, State: string(c.State), Start: c.Start, DurationS: c.DurationS,
		A: &c.A, B: &c.B, Subflows: 1, FallbackCode: c.FallbackCode, Verdicts: verdicts(c.Verdicts),
		A2B: plainDirection(c.Path, c.A2B), B2A: plainDirection(c.Path, c.B2A),
	}
}

func verdicts(all []report.Verdict) []Verdict {
	out := make([]Verdict, len(all))
	for i := range all {
		v := &all[i]
		out[i] = Verdict{Code: v.Code, Severity: v.Severity, Direction: v.Direction, Subflow: v.Subflow}
	}
	return out
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

// share returns what a path of Multipath TCP carried. why has the reasons of its direction.
func share(s *report.PathShare, why report.Reasons, flows []flow) Path {
	p := pathOf(s.Path, s.Subflows, flows)
	p.Bytes, p.Share, p.ReinjectedBytes = s.Bytes, s.Percent, s.ReinjectedBytes
	settle(p.Unavailable, p.Bytes == nil, "bytes", why, "paths[].bytes")
	settle(p.Unavailable, p.Share == nil, "share_percent", why, "paths[].share_percent")
	settle(p.Unavailable, p.ReinjectedBytes == nil, "reinjected_bytes", why, "paths[].reinjected_bytes")
	return p
}

// plainDirection returns a direction of plain TCP, which has one path.
func plainDirection(path string, d *report.SubDir) *Direction {
	if d == nil {
		return nil
	}
	p := pathOf(path, []int{0}, []flow{d})
	p.Bytes, p.Share, p.ReinjectedBytes = d.Bytes, d.Share, d.ReinjectedBytes
	settle(p.Unavailable, p.Bytes == nil, "bytes", d.Unavailable, "bytes")
	settle(p.Unavailable, p.Share == nil, "share_percent", d.Unavailable, "share_percent")
	settle(p.Unavailable, p.ReinjectedBytes == nil, "reinjected_bytes", d.Unavailable, "reinjected_bytes")
	out := &Direction{Bytes: d.BytesUnique, Mbps: average(d.Throughput), Paths: []Path{p}, Unavailable: map[string]string{}}
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
