package connlines

import (
	"slices"
	"strconv"
	"strings"

	"mpanalyze/internal/report"
)

// Line is one connection as a line of JSON.
type Line struct {
	// Which protocol the connection uses: "mptcp" or "tcp".
	Kind string `json:"kind"`
	// Number of the connection among those of its kind in the report.
	ID int `json:"id"`
	// Version of Multipath TCP, 0 or 1; null of plain TCP, and where no option that tells it was captured.
	Version *int `json:"version"`
	// Where the capture was taken.
	Vantage report.Vantage `json:"vantage"`
	// How the connection ended in this capture.
	State string `json:"state"`
	// Time of the first packet, RFC 3339 with nanoseconds.
	Start report.Time `json:"start"`
	// First to last packet, seconds.
	DurationS float64 `json:"duration_s"`
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
	Verdicts []Verdict `json:"verdicts"`
	// Data from A to B.
	A2B *Direction `json:"a2b"`
	// Data from B to A.
	B2A *Direction `json:"b2a"`
}

// lineColumns are the columns of [CSV] that have the figures of a line.
var lineColumns = []column[Line]{
	{"kind", func(l *Line) string { return l.Kind }},
	{"id", func(l *Line) string { return strconv.Itoa(l.ID) }},
	{"version", func(l *Line) string { return whole(l.Version) }},
	{"vantage", func(l *Line) string { return string(l.Vantage) }},
	{"state", func(l *Line) string { return l.State }},
	{"start", func(l *Line) string { return l.Start.String() }},
	{"duration_s", func(l *Line) string { return fraction(&l.DurationS) }},
	{"verdicts", (*Line).codes},
}

// codes returns the codes of the verdicts, each once.
func (l *Line) codes() string {
	var codes []string
	for _, v := range l.Verdicts {
		if code := string(v.Code); !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	return strings.Join(codes, ";")
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

// Path is what one path, with one or more subflows, carried and lost in one direction.
type Path struct {
	// Label of the path (--label), else its two addresses.
	Path string `json:"path"`
	// Ids of its subflows; 0 of plain TCP.
	Subflows []int `json:"subflows"`
	// Payload bytes that were captured on it, copies included; of Multipath TCP those that a mapping covers.
	Bytes *int64 `json:"bytes"`
	// Part of the data of the direction that it was the first to carry, percent.
	Share *float64 `json:"share_percent"`
	// Data segments sent, in units of the MSS.
	Segments int64 `json:"segments"`
	// Data segments with any byte that had been sent before on the same subflow.
	RetransmittedSegments int64 `json:"retransmitted_segments"`
	// Payload bytes that had been sent before on the same subflow.
	RetransmittedBytes int64 `json:"retransmitted_bytes"`
	// Bytes that had been sent before on another subflow, or on this one under another number.
	ReinjectedBytes *int64 `json:"reinjected_bytes"`
	// Segments lost on the path.
	Drops *Drops `json:"drops"`
	// Why a figure is null, by its name.
	Unavailable map[string]string `json:"unavailable"`
}

// pathColumns are the columns of [CSV] that have the figures of a path.
var pathColumns = []column[Path]{
	{"path", func(p *Path) string { return report.CellText(p.Path) }},
	{"subflows", func(p *Path) string { return strconv.Itoa(len(p.Subflows)) }},
	{"bytes", func(p *Path) string { return whole(p.Bytes) }},
	{"share_percent", func(p *Path) string { return fraction(p.Share) }},
	{"segments", func(p *Path) string { return whole(&p.Segments) }},
	{"retransmitted_segments", func(p *Path) string { return whole(&p.RetransmittedSegments) }},
	{"retransmitted_bytes", func(p *Path) string { return whole(&p.RetransmittedBytes) }},
	{"reinjected_bytes", func(p *Path) string { return whole(p.ReinjectedBytes) }},
	{"drops", ofDrops(func(d *Drops) string { return whole(&d.Count) })},
	{"drops_unresolved", ofDrops(func(d *Drops) string { return whole(&d.Unresolved) })},
	{"drops_percent", ofDrops(func(d *Drops) string { return fraction(d.Percent) })},
	{"drops_evidence", ofDrops(func(d *Drops) string { return string(d.Evidence) })},
}

// ofDrops returns the cell of a figure of the losses; empty where they are not known.
func ofDrops(cell func(*Drops) string) func(*Path) string {
	return func(p *Path) string {
		if p.Drops == nil {
			return ""
		}
		return cell(p.Drops)
	}
}

// Drops is the loss on a path: that of its subflows together.
type Drops struct {
	// Segments dropped.
	Count int64 `json:"count"`
	// Segments of which it is not known whether they arrived.
	Unresolved int64 `json:"unresolved"`
	// Dropped / sent segments, percent; null where none was sent.
	Percent *float64 `json:"percent"`
	// What the count rests on: "inferred" is retransmitted copies less reported duplicates, "holes" a lower bound.
	Evidence report.Evidence `json:"evidence"`
}
