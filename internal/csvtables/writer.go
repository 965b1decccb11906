package csvtables

import (
	"errors"
	"reflect"
	"strings"

	"mpanalyze/internal/output"
	"mpanalyze/internal/report"
)

// eventFacts are the last columns of events.csv.
var eventFacts, eventFactNames = flatFields(reflect.TypeFor[report.EventFacts](), "")

// Options says which streamed tables are written besides events.csv and mappings.csv.
type Options struct {
	Series  bool // series.csv
	Chunks  bool // chunks.csv
	Packets bool // packets.csv
}

// Writer writes the CSV tables of one analysis into a directory. Rows are
// written while the analysis runs: memory is one buffer per file. The files get their names
// when all tables are complete. Writer is a [report.RowSink]; only one goroutine may use it at
// a time.
type Writer struct {
	dir                                       *output.Dir
	series, chunks, mappings, events, packets *table
	failed                                    bool // a table is not whole
	omitted                                   int64
}

var (
	_ report.Omitting   = (*Writer)(nil)
	_ report.PacketSink = (*Writer)(nil)
)

// New makes the directory if it is missing, and opens the streamed tables. Close replaces the
// tables of an earlier analysis. The caller must call Close or Abandon.
func New(dir string, o Options) (*Writer, error) {
	d, err := output.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	t := &Writer{dir: d}
	for _, c := range []struct {
		table        **table
		name, header string
		wanted       bool
	}{
		{&t.series, "series.csv", header(seriesColumns), o.Series},
		{&t.chunks, "chunks.csv", header(chunksColumns), o.Chunks},
		{&t.mappings, "mappings.csv", header(mappingsColumns), true},
		{&t.events, "events.csv", header(eventsColumns) + "," + strings.Join(eventFactNames, ","), true},
		{&t.packets, "packets.csv", header(packetsColumns), o.Packets},
	} {
		if !c.wanted {
			continue
		}
		if *c.table, err = createTable(d, c.name, c.header); err != nil {
			t.Abandon()
			return nil, err
		}
	}
	return t, nil
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
	if err != nil || t.failed {
		t.dir.Abandon()
		return err
	}
	return t.dir.Commit()
}

// Abandon leaves the directory as it was before New.
func (t *Writer) Abandon() {
	_ = t.flush() // the tables are removed, so an error does not matter
	t.dir.Abandon()
}

func (t *Writer) flush() error {
	return errors.Join(t.series.close(), t.chunks.close(), t.mappings.close(), t.events.close(), t.packets.close())
}
