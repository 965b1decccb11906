package csvtables

import (
	"errors"
	"reflect"
	"slices"

	"mpanalyze/internal/output"
	"mpanalyze/internal/report"
)

// eventFacts are the last columns of events.csv.
var eventFacts, eventFactColumns = flatFields(reflect.TypeFor[report.EventFacts]())

// Options says which streamed tables are written besides events.csv and mappings.csv.
type Options struct {
	Parquet string // a directory for the same tables as Parquet; empty for none
	Series  bool   // series.csv
	Chunks  bool   // chunks.csv
	Packets bool   // packets.csv
}

// Writer writes the tables of one analysis into a directory, as CSV, as Parquet or as both.
// Rows are written while the analysis runs: memory is a buffer per file. The files get their names
// when all tables are complete. Writer is a [report.RowSink]; only one goroutine may use it at
// a time.
type Writer struct {
	dir                                       *output.Dir // nil without CSV
	parquet                                   *output.Dir // nil without Parquet
	series, chunks, mappings, events, packets *table
	failed                                    bool // a table is not whole
	omitted                                   int64
}

var (
	_ report.Omitting   = (*Writer)(nil)
	_ report.PacketSink = (*Writer)(nil)
)

// New makes the directories if they are missing, and opens the streamed tables. Without a
// directory for CSV, there are only the tables as Parquet. Close replaces the tables of an
// earlier analysis. The caller must call Close or Abandon.
func New(dir string, o Options) (*Writer, error) {
	t := &Writer{}
	if err := t.open(dir, o.Parquet); err != nil {
		return nil, err
	}
	for _, c := range []struct {
		table   **table
		name    string
		columns []Column
		wanted  bool
	}{
		{&t.series, "series.csv", streamed("series"), o.Series},
		{&t.chunks, "chunks.csv", streamed("chunks"), o.Chunks},
		{&t.mappings, "mappings.csv", streamed("mappings"), true},
		{&t.events, "events.csv", slices.Concat(streamed("events"), eventFactColumns), true},
		{&t.packets, "packets.csv", streamed("packets"), o.Packets},
	} {
		if !c.wanted {
			continue
		}
		var err error
		if *c.table, err = t.createTable(c.name, c.columns); err != nil {
			t.Abandon()
			return nil, err
		}
	}
	return t, nil
}

// open opens the directories that have a name.
func (t *Writer) open(csv, parquet string) (err error) {
	if csv != "" {
		if t.dir, err = output.OpenDir(csv); err != nil {
			return err
		}
	}
	if parquet != "" {
		if t.parquet, err = output.OpenDir(parquet); err != nil {
			t.Abandon()
		}
	}
	return err
}

// dirs returns the directories that are open.
func (t *Writer) dirs() (open []*output.Dir) {
	for _, d := range []*output.Dir{t.dir, t.parquet} {
		if d != nil {
			open = append(open, d)
		}
	}
	return open
}

// Omitted counts cells without data that have no row in series.csv ([report.Omitting]).
func (t *Writer) Omitted(n int64) {
	if t.series != nil {
		t.omitted += n
	}
}

// OmittedCells returns how many cells without data have no row in series.csv.
func (t *Writer) OmittedCells() int64 { return t.omitted }

// Close flushes the streamed tables. If all tables are complete, it gives the files their
// names. It returns the errors of all writes.
func (t *Writer) Close() error {
	err := t.flush()
	for _, d := range t.dirs() {
		if err != nil || t.failed {
			d.Abandon()
		} else {
			err = d.Commit()
		}
	}
	return err
}

// Abandon leaves the directory as it was before New.
func (t *Writer) Abandon() {
	_ = t.flush() // the tables are removed, so an error does not matter
	for _, d := range t.dirs() {
		d.Abandon()
	}
}

func (t *Writer) flush() error {
	return errors.Join(t.series.close(), t.chunks.close(), t.mappings.close(), t.events.close(), t.packets.close())
}
