package engine_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/reporttest"
	"mpanalyze/internal/tracegen"
)

const sessions = "../../testdata/sessions"

// realCaptures are small captures of different link layers, formats and events.
var realCaptures = []string{
	"v1/i-v6-v4/client.pcap.zst",         // Linux cooked v2, IPv6 and IPv4
	"v1/l-spurious/server.pcap.zst",      // Ethernet
	"v1/p-abort/client.pcap.zst",         // MP_FASTCLOSE
	"v1/j-strip-synack/client.pcap.zst",  // fallback
	"v1/j-plain-server/client.pcap.zst",  // plain TCP
	"v1/o-tso-veth/client.pcap.zst",      // super-segments
	"v1/k-short-bursts/client.pcap.zst",  // many connections
	"v1/c-stream-bbr/client.pcapng.zst",  // pcapng of two interfaces
	"v1/h-csum-flip-two/client.pcap.zst", // checksums, MP_FAIL, whole packets
	"v0/abort/client.pcap.zst",           // version 0
	"v0/full-v0-csum1/server.pcap.zst",   // version 0, checksums, Linux cooked v1
}

// unit is a record or block of a capture file.
type unit struct {
	at, size int
	packet   bool
}

// material is a capture file, uncompressed, with the places of its units.
type material struct {
	name  string
	file  []byte
	head  int // bytes before the first unit
	units []unit
}

// load reads a real capture up to so many packets; 0 for all.
func load(t testing.TB, name string, packets int) material {
	t.Helper()
	limit := int64(math.MaxInt64)
	if packets > 0 {
		limit = int64(1000 + packets*70_000) // more than so many packets can take
	}
	file := unpacked(t, limit, filepath.Join(sessions, name))
	m := split(t, name, file)
	if packets > 0 {
		m = m.first(packets)
	}
	return m
}

// split finds the units of a capture in little endian by their lengths.
func split(t testing.TB, name string, file []byte) material {
	t.Helper()
	m := material{name: name, file: file, head: 24}
	ng := binary.LittleEndian.Uint32(file) == 0x0a0d0d0a
	if ng {
		m.head = int(binary.LittleEndian.Uint32(file[4:]))
	}
	for at := m.head; at+16 <= len(file); {
		u := unit{at: at, packet: true}
		if ng {
			u.size = int(binary.LittleEndian.Uint32(file[at+4:]))
			u.packet = binary.LittleEndian.Uint32(file[at:]) == 6 // enhanced packet block
		} else {
			u.size = 16 + int(binary.LittleEndian.Uint32(file[at+8:]))
		}
		if at += u.size; at <= len(file) {
			m.units = append(m.units, u)
		}
	}
	assert.Assert(t, len(m.units) != 0, "%s has no units", name)
	return m
}

// first keeps so many packets and everything before them.
func (m material) first(packets int) material {
	end := m.head
	for i, u := range m.units {
		if u.packet {
			packets--
		}
		if end = u.at + u.size; packets == 0 {
			m.units = m.units[:i+1]
			break
		}
	}
	m.file = m.file[:end:end]
	return m
}

// before returns how many packets are completely before a byte of the file, where the unit
// with that byte begins, and whether the byte is at a border of units.
func (m material) before(at int) (packets, start int, whole bool) {
	for _, u := range m.units {
		if start = u.at; u.at+u.size > at {
			return packets, start, start == at
		}
		if u.packet {
			packets++
		}
	}
	return packets, at, true
}

// rowCheck is a sink of rows. It checks each row by the rules of its type and, if it has a
// hash, computes a sum over them all.
type rowCheck struct {
	rows  int
	err   error
	sound bool // no clock was set while the capture ran
	hash  interface {
		io.Writer
		Sum64() uint64
	}
	cells map[uint64]report.Cell // by Place
	lines map[uint64]line        // by Line
	texts map[report.Cell]string // of cells; most of a test's time went into making them for each row
	value seriesRow              // the latest row, here as below; it is kept to avoid allocations
	chunk report.ChunkRow
	run   report.MappingRow
	bytes []byte // of a row of a series
}

// line is what rows of a series have in common.
type line struct {
	cell   report.Cell
	metric string
}

// numbered reports whether the numbers of a row have the same meaning as before.
func (r *rowCheck) numbered(c *report.Cell, row any) bool {
	if r.cells == nil {
		r.cells, r.lines = map[uint64]report.Cell{}, map[uint64]line{}
	}
	if s, ok := row.(*seriesRow); ok && s.Line != 0 {
		if of := (line{*c, s.Metric}); stood(r.lines, s.Line, of) != of {
			return false
		}
	}
	return c.Place == 0 || stood(r.cells, c.Place, *c) == *c
}

// stood returns the first meaning of a number, which is v if the number is new.
func stood[V any](all map[uint64]V, number uint64, v V) V {
	if _, known := all[number]; !known {
		all[number] = v
	}
	return all[number]
}

func (r *rowCheck) row(c *report.Cell, row any, bad bool) error {
	bad = bad || r.hash != nil && !r.numbered(c, row)
	r.rows++
	if bad || c.Connection < 0 || c.Subflow < report.NoSubflow {
		r.err = errors.Join(r.err, fmt.Errorf("row %+v", row))
	}
	if r.hash != nil {
		r.add(c, row)
	}
	return nil
}

// add adds a row and its cell to the hash.
func (r *rowCheck) add(c *report.Cell, row any) {
	text, known := r.texts[*c]
	if !known {
		if r.texts == nil {
			r.texts = map[report.Cell]string{}
		}
		text = fmt.Sprintf("%+v", *c)
		r.texts[*c] = text
	}
	io.WriteString(r.hash, text)
	s, ok := row.(*seriesRow)
	if !ok {
		fmt.Fprintf(r.hash, "%+v", row)
		return
	}
	r.bytes = append(r.bytes[:0], s.Metric...)
	r.bytes = binary.LittleEndian.AppendUint64(r.bytes, s.Line)
	r.bytes = binary.LittleEndian.AppendUint64(r.bytes, uint64(s.T))
	r.bytes = binary.LittleEndian.AppendUint64(r.bytes, math.Float64bits(s.Value))
	r.hash.Write(r.bytes)
}

// seriesRow is a row of a series with what it points to, except the cell.
type seriesRow struct {
	report.Cell
	Line   uint64
	Metric string
	T      int64
	Value  float64
}

func (r *rowCheck) Series(rows []report.SeriesRow) error {
	for _, s := range rows {
		bad := r.sound && s.T < 0 || s.Metric == "" || math.IsNaN(s.Value) || math.IsInf(s.Value, 0)
		r.value = seriesRow{*s.Cell, s.Line, s.Metric, s.T, s.Value}
		if err := r.row(s.Cell, &r.value, bad); err != nil {
			return err
		}
	}
	return nil
}

func (r *rowCheck) Chunks(rows []report.ChunkRow) error {
	for i := range rows {
		at, c := rows[i].Cell, &r.chunk
		*c = rows[i]
		c.Cell = nil // it has no fixed address
		if err := r.row(at, c, c.Length <= 0 || c.Packet <= 0 || at.Subflow == report.NoSubflow); err != nil {
			return err
		}
	}
	return nil
}

func (r *rowCheck) Mappings(rows []report.MappingRow) error {
	for i := range rows {
		at, m := rows[i].Cell, &r.run
		*m = rows[i]
		m.Cell = nil
		if err := r.row(at, m, r.sound && m.T < 0 || m.Length < 0 || m.Packet <= 0 || m.DSNBytes != 4 && m.DSNBytes != 8); err != nil {
			return err
		}
	}
	return nil
}

func (r *rowCheck) Event(e *report.EventRow) error {
	facts, err := json.Marshal(e.EventFacts) // they have no fixed address
	if err != nil {
		return err
	}
	row := *e
	row.EventFacts = report.EventFacts{}
	return r.row(&e.Cell, fmt.Sprintf("%+v %s", row, facts), r.sound && e.T < 0 || e.Packet < 0)
}

// result is what an analysis gave.
type result struct {
	doc  *report.Document
	err  error
	rows int
	sum  uint64 // of all rows
}

// text is the document and the sum of the rows, without what depends on how the file ended.
func (r *result) text(t testing.TB) string {
	t.Helper()
	doc := *r.doc
	doc.Captures = append(doc.Captures[:0:0], doc.Captures...)
	for i := range doc.Captures {
		doc.Captures[i].Truncated, doc.Captures[i].Damage = false, nil
	}
	b, err := json.MarshalIndent(&doc, "", " ")
	assert.NilError(t, err)
	return fmt.Sprintf("%s\n%d rows of sum %x", b, r.rows, r.sum)
}

// analyze runs an analysis of everything, with all rows, on the data of r. It fails if the
// report or a row breaks a rule.
func analyze(t testing.TB, r io.Reader) result {
	t.Helper()
	return analyzeWith(t, everything(r), &rowCheck{hash: fnv.New64a()})
}

// everything returns options that ask for all features.
func everything(r io.Reader) engine.Options {
	return engine.Options{
		Paths: []string{"-"}, Stdin: r, Connection: engine.AllConnections, Decap: true,
		Interval: 100 * time.Millisecond, Series: func(string) bool { return true },
	}
}

// analyzeWith analyses, and checks the whole report.
func analyzeWith(t testing.TB, o engine.Options, sink *rowCheck) result {
	t.Helper()
	out := attempt(t, o, sink)
	if out.doc != nil {
		assert.NilError(t, reporttest.Check(out.doc))
	}
	return out
}

// attempt analyses, and checks that there is a document or an error, and the rows.
func attempt(t testing.TB, o engine.Options, sink *rowCheck) result {
	t.Helper()
	o.Rows = sink
	doc, err := engine.Analyze(context.Background(), o)
	out := result{doc: doc, err: err, rows: sink.rows}
	if sink.hash != nil {
		out.sum = sink.hash.Sum64()
	}
	if sink.err != nil {
		t.Fatal(sink.err)
	}
	if (doc == nil) != (err != nil && !engine.Damaged(err)) {
		t.Fatalf("document %v with error %v", doc, err)
	}
	return out
}

// analyzed analyses captures, which may be damaged, and checks the report.
func analyzed(t testing.TB, o engine.Options) *report.Document {
	t.Helper()
	doc, err := engine.Analyze(context.Background(), o)
	if err != nil && !engine.Damaged(err) {
		t.Fatal(err)
	}
	return doc
}

// wholly returns options for all connections of captures.
func wholly(files ...string) engine.Options {
	return engine.Options{Paths: files, Connection: engine.AllConnections, Interval: metrics.DefaultInterval, QoE: metrics.DefaultQoE}
}

// piped returns wholly for a capture from a pipe.
func piped(file []byte) engine.Options {
	o := wholly("-")
	o.Stdin = bytes.NewReader(file)
	return o
}

// viewed returns what is captured of a network at a place.
func viewed(t testing.TB, n *tracegen.Network, at tracegen.View, f tracegen.Format) []byte {
	t.Helper()
	var file bytes.Buffer
	assert.NilError(t, n.Write(&file, at, f))
	return file.Bytes()
}

// nanoseconds is the format of captures whose figures are compared with exact times.
var nanoseconds = tracegen.Format{Nanosecond: true}

func analyzeBytes(t testing.TB, file []byte) result {
	t.Helper()
	return analyze(t, bytes.NewReader(file))
}

// unpacked returns up to so many bytes of the content of a zstd file.
func unpacked(t testing.TB, limit int64, name string) []byte {
	t.Helper()
	f, err := os.Open(name)
	assert.NilError(t, err)
	defer f.Close()
	z, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1))
	assert.NilError(t, err)
	defer z.Close()
	file, err := io.ReadAll(io.LimitReader(z, limit))
	assert.NilError(t, err)
	return file
}

func save(t testing.TB, file string, content []byte) string {
	t.Helper()
	assert.NilError(t, os.WriteFile(file, content, 0o644))
	return file
}
