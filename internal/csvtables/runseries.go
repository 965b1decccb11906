package csvtables

import (
	"bufio"
	"io"
	"math"
	"slices"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/output"
	"mpanalyze/internal/report"
)

// RunSeries writes the series of many runs into one table, series.parquet: the columns scenario,
// run and end, and those of series.csv. It has one connection of each run.
type RunSeries struct {
	report.NopRows
	table   *table
	run     SeriesRun
	lead    map[report.Direction][]byte // scenario, run and end of the rows that come
	omitted int64
	jitters map[report.Cell]*jitter
}

// SeriesRun says of which run rows are.
type SeriesRun struct {
	Scenario, Run string
	Connection    int                           // its id in the rows that come
	End           func(report.Direction) string // whose capture the rows of a direction are of
	Wants         func(metric string) bool      // whether a series is wanted

	// For rows of the receiver's capture, with the ids of a report on both: id of the connection, and ids
	// of the subflows by those in the rows; nil for rows whose ids stay.
	To       int
	Subflows map[int]int

	// Both is a report on the captures of both hosts, for series of packets that are in both; nil for
	// none of these.
	Both *report.Document
}

var _ report.Omitting = (*RunSeries)(nil)

// PairSeries are the series that take the captures of both hosts.
func PairSeries() []string { return []string{"owd", "jitter", "end_to_end_delay"} }

// NewRunSeries begins the table in a directory.
func NewRunSeries(dir *output.Dir) (*RunSeries, error) {
	lead := []Column{{Name: "scenario", Type: "text"}, {Name: "run", Type: "text"}, {Name: "end", Type: "text"}}
	f, err := newParquet(dir, "series.csv", slices.Concat(lead, streamed("series")))
	if err != nil {
		return nil, err
	}
	return &RunSeries{table: &table{dir: dir, name: f.name, columns: f, out: bufio.NewWriter(io.Discard)}}, nil
}

// Begin says of which run the next rows are.
func (s *RunSeries) Begin(run SeriesRun) {
	s.run, s.lead, s.jitters = run, map[report.Direction][]byte{}, map[report.Cell]*jitter{}
	for _, d := range report.Directions {
		s.lead[d] = s.leadOf(run.End(d))
	}
	s.table.prefixes = rowPrefixes{} // numbers of lines are those of one analysis
}

func (s *RunSeries) leadOf(end string) []byte {
	b := append(appendText(append(appendText(nil, s.run.Scenario), ','), s.run.Run), ',')
	return append(appendText(b, end), ',')
}

// Series implements [report.RowSink].
func (s *RunSeries) Series(rows []report.SeriesRow) error {
	for i := range rows {
		r := &rows[i]
		if r.Connection != s.run.Connection || !s.run.Wants(r.Metric) {
			continue
		}
		if s.run.Subflows == nil {
			s.table.seriesRow(s.lead[r.Direction], r)
			continue
		}
		there := *r.Cell
		there.Connection = s.run.To
		if there.Subflow != report.NoSubflow {
			id, found := s.run.Subflows[there.Subflow]
			if !found {
				continue // no subflow of the report on both captures
			}
			there.Subflow = id
		}
		s.row(s.lead[r.Direction], &there, r.Metric, r.T, r.Value)
	}
	return s.table.err
}

// row adds a row of a cell that is not kept.
func (s *RunSeries) row(lead []byte, c *report.Cell, metric string, t int64, value float64) {
	s.table.seriesRow(lead, &report.SeriesRow{SeriesLine: &report.SeriesLine{Cell: c, Metric: metric}, T: t, Value: value})
}

// jitter is the state of the interarrival jitter of one direction of a subflow, ms (RFC 3550, Section 6.4.1).
type jitter struct{ delay, value float64 }

// Packet implements [report.PacketSink]: delays of packets that are in both captures.
func (s *RunSeries) Packet(r *report.PacketRow) error {
	if s.run.Both == nil || r.Connection != s.run.Connection || r.Sent == report.NoTime || r.Arrived == report.NoTime {
		return nil
	}
	s.pairRow(&r.Cell, "owd", r.Sent, float64(r.Arrived-r.Sent)/1e6)
	raw := float64(r.Arrived-r.Sent) / 1e6 // the offset of the clocks is in all delays and cancels out
	if j := s.jitters[r.Cell]; j != nil {
		j.value += (math.Abs(raw-j.delay) - j.value) / 16
		j.delay = raw
		if s.run.Both.Clock.Step == nil { // else the step of the clock is in it
			s.pairRow(&r.Cell, "jitter", r.Sent, j.value)
		}
	} else {
		s.jitters[r.Cell] = &jitter{delay: raw}
	}
	return s.table.err
}

// Chunks implements [report.RowSink]: the time from the first transmission of a chunk until it was in
// order at its receiver.
func (s *RunSeries) Chunks(rows []report.ChunkRow) error {
	if s.run.Both == nil {
		return nil
	}
	for i := range rows {
		r := &rows[i]
		if r.Connection == s.run.Connection && r.Kind == report.ChunkFirst && r.Sent != report.NoTime && r.Delivered != report.NoTime {
			whole := report.Cell{Connection: r.Connection, Direction: r.Direction, Subflow: report.NoSubflow}
			s.pairRow(&whole, "end_to_end_delay", r.Sent, float64(r.Delivered-r.Sent)/1e6)
		}
	}
	return s.table.err
}

// pairRow adds a row of packets in both captures. sent is the time at the sending host by its clock, ns.
// The row has the clock of the first capture.
func (s *RunSeries) pairRow(c *report.Cell, metric string, sent int64, value float64) {
	both := s.run.Both
	if !s.run.Wants(metric) || both.Clock.Offset == nil {
		return
	}
	conn := both.Connection(s.run.Connection)
	lead := both.Lead(conn, float64(sent)/1e9)
	if conn.Away(c.Direction) {
		sent -= int64(math.Round(lead * 1e6))
		lead = -lead
	}
	if metric != "jitter" {
		value -= lead
	}
	s.row(s.leadOf(catalogue.AtBoth), c, metric, sent, value)
}

// Omitted counts cells without data that have no row ([report.Omitting]).
func (s *RunSeries) Omitted(n int64) { s.omitted += n }

// OmittedCells returns how many cells without data have no row, of all connections of the runs.
func (s *RunSeries) OmittedCells() int64 { return s.omitted }

// Close writes the rest of the table.
func (s *RunSeries) Close() error { return s.table.close() }
