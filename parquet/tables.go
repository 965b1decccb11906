package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/parquet-go/parquet-go"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/output"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
)

// runRow is a row of runs.parquet: one figure of one run.
type runRow struct {
	Scenario   string  `parquet:"scenario,dict"`
	Run        string  `parquet:"run,dict"`
	Files      string  `parquet:"files,dict"` // separated by ";"
	Connection int32   `parquet:"connection"`
	Vantage    string  `parquet:"vantage,dict"`
	Metric     string  `parquet:"metric,dict"` // as in b2a.protocol_delay_ms.avg
	Value      float64 `parquet:"value"`
	// What the metric's name is made of, and what was varied.
	Direction string            `parquet:"direction,dict"`
	Path      *string           `parquet:"path,optional,dict"` // null for the whole connection
	Name      string            `parquet:"name,dict"`          // without direction and path: protocol_delay_ms.avg
	Unit      string            `parquet:"unit,dict"`          // empty for a number without one
	Factors   map[string]string `parquet:"factors"`
	Labels    map[string]string `parquet:"labels"`
}

// cellRow is a row of cells.parquet: one value of a series.
type cellRow struct {
	Scenario   string  `parquet:"scenario,dict"`
	Run        string  `parquet:"run,dict"`
	Connection int32   `parquet:"connection"`
	Direction  string  `parquet:"direction,dict"`
	Subflow    *int32  `parquet:"subflow,optional"`   // null for the whole connection
	Path       *string `parquet:"path,optional,dict"` // null for the whole connection
	Metric     string  `parquet:"metric,dict"`        // as in protocol_delay
	TS         float64 `parquet:"t_s"`                // seconds since the connection's start
	Value      float64 `parquet:"value"`
}

// maxBuffered is how many rows are held before they become a row group.
const maxBuffered = 1 << 17

// table is one Parquet file that grows row by row.
type table[R any] struct {
	file *os.File
	w    *parquet.GenericWriter[R]
	rows int // since the last row group
	one  [1]R
}

func create[R any](dir *output.Dir, name string) (*table[R], error) {
	f, err := dir.Create(name)
	if err != nil {
		return nil, err
	}
	return &table[R]{file: f, w: parquet.NewGenericWriter[R](f, parquet.Compression(&parquet.Zstd))}, nil
}

func (t *table[R]) add(r R) error {
	t.one[0] = r
	if _, err := t.w.Write(t.one[:]); err != nil {
		return err
	}
	if t.rows++; t.rows < maxBuffered {
		return nil
	}
	t.rows = 0
	return t.w.Flush()
}

func (t *table[R]) close() error { return errors.Join(t.w.Close(), t.file.Close()) }

// cells takes the series of one run into the table.
type cells struct {
	table *table[cellRow]
	input *campaign.Input
}

// Series implements [report.RowSink].
func (c *cells) Series(rows []report.SeriesRow) error {
	for i := range rows {
		if err := c.table.add(c.row(&rows[i])); err != nil {
			return err
		}
	}
	return nil
}

func (c *cells) row(r *report.SeriesRow) cellRow {
	row := cellRow{
		Scenario: c.input.Scenario, Run: c.input.Name, Connection: int32(r.Connection), Direction: string(r.Direction),
		Metric: r.Metric, TS: float64(r.T) / 1e9, Value: r.Value,
	}
	if r.Subflow != report.NoSubflow {
		subflow, path := int32(r.Subflow), r.Path
		row.Subflow, row.Path = &subflow, &path
	}
	return row
}

// Chunks implements [report.RowSink]; chunks have no table.
func (c *cells) Chunks([]report.ChunkRow) error { return nil }

// Mappings implements [report.RowSink]; mappings have no table.
func (c *cells) Mappings([]report.MappingRow) error { return nil }

// Event implements [report.RowSink]; events have no table.
func (c *cells) Event(*report.EventRow) error { return nil }

// write analyses the runs and writes both tables, which appear once both are whole.
// Neither may be a file that is read.
func write(ctx context.Context, name string, inputs []campaign.Input, o engine.Options, messages io.Writer) (skipped int, err error) {
	var in output.Inputs
	for i := range inputs {
		in.Add(inputs[i].AllFiles()...)
	}
	if err := in.RefuseIn(name, ".parquet"); err != nil {
		return 0, err
	}
	dir, err := output.OpenDir(name)
	if err != nil {
		return 0, err
	}
	if skipped, err = writeTables(ctx, dir, inputs, o, messages); err != nil {
		dir.Abandon()
		return skipped, err
	}
	return skipped, dir.Commit()
}

// writeTables analyses the runs, one after the other, and writes both tables. Runs
// that cannot be used are named on messages and counted; their cells up to the
// damage stand in cells.parquet, but no row of theirs in runs.parquet.
func writeTables(ctx context.Context, dir *output.Dir, inputs []campaign.Input, o engine.Options, messages io.Writer) (skipped int, err error) {
	runs, err := create[runRow](dir, "runs.parquet")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, runs.close()) }()
	series, err := create[cellRow](dir, "cells.parquet")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, series.close()) }()
	for i := range inputs {
		in := &inputs[i]
		run, err := analyze(ctx, in, o, &cells{series, in})
		if ctx.Err() != nil {
			return skipped, ctx.Err()
		}
		if err != nil {
			skipped++
			fmt.Fprintf(messages, "mpanalyze-parquet: skipped %s\n", plaintext.Clean(in.Scenario+", run "+in.Name+": "+err.Error()))
			continue
		}
		if err := addRun(runs, in, run); err != nil {
			return skipped, err
		}
	}
	return skipped, nil
}

// analyze returns the figures of one run and sends its series to sink.
func analyze(ctx context.Context, in *campaign.Input, o engine.Options, sink report.RowSink) (*campaign.Run, error) {
	if in.Problem != "" {
		return nil, errors.New(in.Problem)
	}
	o.Paths, o.Receiver, o.Swap, o.Rows = in.Files, in.Receiver, in.Swap, sink
	if in.Vantage != "" {
		o.Vantage = in.Vantage
	}
	doc, err := engine.Analyze(ctx, o)
	if err != nil {
		return nil, err
	}
	return campaign.Extract(doc, campaign.AnyConnection)
}

func addRun(t *table[runRow], in *campaign.Input, run *campaign.Run) error {
	factors := map[string]string{}
	for _, f := range in.Factors {
		factors[f.Name] = f.Value
	}
	for i, name := range run.Names {
		n := campaign.NameOf(name)
		row := runRow{
			Scenario: in.Scenario, Run: in.Name, Files: strings.Join(in.AllFiles(), ";"),
			Connection: int32(run.Connection), Vantage: string(run.Vantage), Metric: name, Value: run.Values[i],
			Direction: n.Direction, Name: n.Metric, Unit: n.Unit, Factors: factors, Labels: in.Labels,
		}
		if n.Path != "" {
			row.Path = &n.Path
		}
		if err := t.add(row); err != nil {
			return err
		}
	}
	return nil
}
