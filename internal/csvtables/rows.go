package csvtables

import (
	"errors"
	"math/bits"
	"reflect"
	"strconv"
	"strings"

	"mpanalyze/internal/output"
	"mpanalyze/internal/report"
)

// The header lines of the streamed tables. Columns may be added at the end.
const (
	seriesHeader   = "connection,direction,subflow,path,metric,t_s,value"
	chunksHeader   = "connection,direction,subflow,path,packet,dsn,ssn,length,kind,sent_s,acked_s,data_acked_s,arrived_s,delivered_s"
	mappingsHeader = "connection,direction,subflow,path,packet,packets,t_s,dsn,wire_dsn,dsn_octets,ssn,length,data_fin,infinite,repeated,checksum,checksum_ok"
	packetsHeader  = "connection,direction,subflow,path,ssn,length,fate,sent_packet,sent_s,arrived_packet,arrived_s"
	eventsHeader   = "connection,direction,subflow,path,packet,t_s,kind,detail"
)

// eventFacts are the columns of events.csv behind the others.
var eventFacts, eventFactNames = flatFields(reflect.TypeFor[report.EventFacts](), "")

// Options says which of the streamed tables are wanted besides events.csv
// and mappings.csv.
type Options struct {
	Series  bool // series.csv
	Chunks  bool // chunks.csv
	Packets bool // packets.csv
}

// Writer writes the CSV tables of one analysis into a directory. Rows are
// written while the analysis runs and are never held: memory is one buffer per
// file. The tables have their names once all are whole. Writer is a [report.RowSink]
// for one goroutine at a time.
type Writer struct {
	dir                                       *output.Dir
	series, chunks, mappings, events, packets *table
	failed                                    bool // a table is not whole
}

var (
	_ report.RowSink    = (*Writer)(nil)
	_ report.PacketSink = (*Writer)(nil)
)

// New makes the directory where it is missing and opens the streamed
// tables; those of an earlier analysis are replaced by Close. Close or Abandon ends it.
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
		{&t.series, "series.csv", seriesHeader, o.Series},
		{&t.chunks, "chunks.csv", chunksHeader, o.Chunks},
		{&t.mappings, "mappings.csv", mappingsHeader, true},
		{&t.events, "events.csv", eventsHeader + "," + strings.Join(eventFactNames, ","), true},
		{&t.packets, "packets.csv", packetsHeader, o.Packets},
	} {
		if !c.wanted {
			continue
		}
		if *c.table, err = createTable(d, c.name, c.header); err != nil {
			t.Abandon()
			return nil, err
		}
		(*c.table).memo = new(memo)
	}
	return t, nil
}

// Close flushes the streamed tables and gives all tables their names, if all are
// whole. It returns the errors of all writes.
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
	_ = t.flush() // the tables will not be there
	t.dir.Abandon()
}

func (t *Writer) flush() error {
	return errors.Join(t.series.close(), t.chunks.close(), t.mappings.close(), t.events.close(), t.packets.close())
}

// appendCell appends the columns that every streamed table begins with, and a
// comma.
func appendCell(b []byte, c *report.Cell) []byte {
	b = append(appendSigned(b, int64(c.Connection)), ',')
	b = append(append(b, c.Direction...), ',')
	if c.Subflow != report.NoSubflow {
		b = appendSigned(b, int64(c.Subflow))
	}
	return append(appendText(append(b, ','), c.Path), ',')
}

// appendInt appends n and a comma, which with up to seven digits takes eight
// octets at most.
func appendInt(b []byte, n int64) []byte {
	if uint64(n) >= 1e7 {
		return append(appendSigned(b, n), ',')
	}
	w := digits8(uint64(n))
	zeros := bits.TrailingZeros64(w|1<<56) & 56 // of the digits in front, in bits
	return appendOctets(b, (w|asciiZeros)>>zeros|','<<((64-zeros)&63), 9-zeros/8)
}

// appendTime appends a time and a comma.
func appendTime(b []byte, ns int64) []byte { return append(appendSeconds(b, ns), ',') }

// appendBool appends true or false and a comma.
func appendBool(b []byte, v bool) []byte { return append(strconv.AppendBool(b, v), ',') }

// Series writes rows of series.csv.
func (t *Writer) Series(rows []report.SeriesRow) error {
	if t.series == nil {
		return nil
	}
	t.series.seriesRows(rows)
	return t.series.err
}

// Chunks writes rows of chunks.csv.
func (t *Writer) Chunks(rows []report.ChunkRow) error {
	if t.chunks == nil {
		return nil
	}
	t.chunks.chunkRows(rows)
	return t.chunks.err
}

// chunkRows adds rows of chunks.csv. With a profile the compiler takes in what is
// called here, but not what that calls.
//
//go:noinline
func (t *table) chunkRows(rows []report.ChunkRow) {
	for i := range rows {
		r := &rows[i]
		p := t.begin(t.memo.cell(r.Cell))
		t.end(p, t.memo.chunk.put(p, r))
	}
}

// Mappings writes rows of mappings.csv.
func (t *Writer) Mappings(rows []report.MappingRow) error {
	for i := range rows {
		t.mappings.mappingRow(&rows[i])
	}
	return t.mappings.err
}

// mappingRow adds a row of mappings.csv.
func (t *table) mappingRow(r *report.MappingRow) {
	m := t.memo
	b := append(t.row(), m.cell(r.Cell).text...)
	b = m.appendTime(appendInt(appendInt(b, r.Packet), r.Packets), r.T)
	b = append(appendUint(appendInt(b, r.DSN), r.WireDSN), ',')
	b = appendInt(appendInt(appendInt(b, int64(r.DSNOctets)), r.SSN), r.Length)
	b = appendBool(appendBool(appendBool(b, r.DataFin), r.Infinite), r.Repeated)
	if r.Checksum >= 0 {
		b = appendSigned(b, int64(r.Checksum))
	}
	b = append(b, ',')
	if r.ChecksumOK != report.Unknown {
		b = strconv.AppendBool(b, r.ChecksumOK == report.True)
	}
	t.write(b)
}

// Event writes a row of events.csv.
func (t *Writer) Event(r *report.EventRow) error {
	b := appendCell(t.events.row(), &r.Cell)
	if r.Packet != 0 {
		b = appendSigned(b, r.Packet)
	}
	b = appendTime(append(b, ','), r.T)
	b = append(append(b, r.Kind...), ',')
	b = appendFields(append(appendText(b, r.Detail), ','), eventFacts, reflect.ValueOf(&r.EventFacts).Elem())
	t.events.write(b[:len(b)-1]) // no comma behind the last column
	return t.events.err
}

// Packet writes a row of packets.csv.
func (t *Writer) Packet(r *report.PacketRow) error {
	if t.packets == nil {
		return nil
	}
	b := appendCell(t.packets.row(), &r.Cell)
	b = append(append(appendInt(appendInt(b, r.SSN), r.Length), r.Fate...), ',')
	b = appendTime(appendPacket(b, r.SentPacket), r.Sent)
	t.packets.write(appendSeconds(appendPacket(b, r.ArrivedPacket), r.Arrived))
	return t.packets.err
}

// appendPacket appends the number of a packet, nothing for none, and a comma.
func appendPacket(b []byte, n int64) []byte {
	if n != 0 {
		b = appendSigned(b, n)
	}
	return append(b, ',')
}
