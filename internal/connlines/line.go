package connlines

import "mpanalyze/internal/report"

// SchemaName is the value of [Line.Schema].
const SchemaName = "mpanalyze.connections/1"

// Line is one connection as a line of JSON.
type Line struct {
	// Name and version of this form: mpanalyze.connections/1.
	Schema string `json:"schema"`
	// Which protocol the connection uses: "mptcp" or "tcp".
	Kind string `json:"kind" csv:"kind"`
	// Number of the connection among those of its kind in the report.
	ID int `json:"id" csv:"id"`
	// Version of Multipath TCP, 0 or 1; null of plain TCP, and where no option that tells it was captured.
	Version *int `json:"version" csv:"version"`
	// Where the capture was taken.
	Vantage report.Vantage `json:"vantage" csv:"vantage"`
	// How the connection ended in this capture.
	State string `json:"state" csv:"state"`
	// Time of the first packet, RFC 3339 with nanoseconds.
	Start report.Time `json:"start" csv:"start"`
	// First to last packet, seconds.
	DurationS float64 `json:"duration_s" csv:"duration_s"`
	// The end at host A, of subflow 0.
	A *report.Endpoint `json:"a"`
	// The end at host B, of subflow 0.
	B *report.Endpoint `json:"b"`
	// Number of subflows; 1 of plain TCP.
	Subflows int `json:"subflows"`
	// Token of A's key in hexadecimal; null of plain TCP, and where the key was not captured.
	TokenA *string `json:"token_a"`
	// Token of B's key in hexadecimal; null of plain TCP, and where the key was not captured.
	TokenB *string `json:"token_b"`
	// The cause of a fallback to TCP; null where there was none, or its cause is not known.
	FallbackCode *report.FallbackCode `json:"fallback_code"`
	// What mpanalyze why says, the most severe first.
	Verdicts []Verdict `json:"verdicts" csv:"verdicts"`
	// Data from A to B.
	A2B *Direction `json:"a2b"`
	// Data from B to A.
	B2A *Direction `json:"b2a"`
}

// Verdict is a verdict on the connection in short.
type Verdict struct {
	// Stable name of the reason.
	Code report.VerdictCode `json:"code"`
	// How much it matters.
	Severity report.Severity `json:"severity"`
	// Direction that it is about; null where it is about the connection.
	Direction *report.Direction `json:"direction"`
	// Id of the subflow that it is about; null where it is about no single one.
	Subflow *int `json:"subflow"`
}

// multipath returns the line of a connection of Multipath TCP.
func multipath(c *report.Connection) *Line {
	l := &Line{
		Schema: SchemaName, Kind: "mptcp", ID: c.ID, Version: c.Version, Vantage: c.Vantage, State: string(c.State), Start: c.Start, DurationS: c.DurationS,
		Subflows: len(c.Subflows), TokenA: c.TokenA, TokenB: c.TokenB, FallbackCode: c.FallbackCode, Verdicts: verdicts(report.Known(c.Verdicts)),
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
		Schema: SchemaName, Kind: "tcp", ID: c.ID, Vantage: c.Vantage, State: string(c.State), Start: c.Start, DurationS: c.DurationS,
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
