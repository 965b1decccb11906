package rows_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/conn/conntest"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/rows"
	"mpanalyze/internal/tracegen"
)

// mappingRows keeps the rows of mappings.csv.
type mappingRows struct {
	report.RowSink
	rows []report.MappingRow
}

func (m *mappingRows) Mappings(rows []report.MappingRow) error {
	m.rows = append(m.rows, rows...)
	return nil
}

func (*mappingRows) Chunks([]report.ChunkRow) error { return nil }
func (*mappingRows) Event(*report.EventRow) error   { return nil }

// run is a row as a test writes it. Its packets are counted from 1, after the 3 packets of the
// handshake.
type run struct {
	subflow               int
	first, packets        int64
	dsn, length           int64
	repeated, fin, sender bool // sender: packets of A
	ok                    *bool
}

// TestMappingRuns: a row is a run of packets with one mapping, in one direction of a subflow.
// Packets of other subflows between them do not end it, unless they have another mapping.
func TestMappingRuns(t *testing.T) {
	const ms = time.Millisecond
	path := func(n byte) tracegen.Path {
		return tracegen.Path{A: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, n, 1}), 40000), B: netip.MustParseAddrPort("10.0.9.1:80")}
	}
	for name, tt := range map[string]struct {
		checksum bool
		play     func(f, g *tracegen.Subflow)
		want     []run
	}{
		"one write": {
			play: func(f, _ *tracegen.Subflow) {
				m := f.Map(tracegen.A2B, 0, 3000)
				for i := range 3 {
					m.Send(time.Duration(100+i)*ms, 1000*i, 1000)
				}
			},
			want: []run{{first: 1, packets: 3, dsn: 1, length: 3000, sender: true}},
		},
		"an ACK and the other direction between": {
			play: func(f, _ *tracegen.Subflow) {
				m := f.Map(tracegen.A2B, 0, 2000)
				m.Send(100*ms, 0, 1000)
				f.Ack(tracegen.A2B, 101*ms)
				f.Data(tracegen.B2A, 102*ms, 0, 500)
				m.Send(200*ms, 1000, 1000)
			},
			want: []run{{first: 1, packets: 2, dsn: 1, length: 2000, sender: true}, {first: 3, packets: 1, dsn: 1, length: 500}},
		},
		"a retransmission between": {
			play: func(f, _ *tracegen.Subflow) {
				m, n := f.Map(tracegen.A2B, 0, 2000), f.Map(tracegen.A2B, 2000, 3000)
				m.Send(100*ms, 0, 1000)
				m.Send(101*ms, 1000, 1000)
				n.Send(102*ms, 0, 1000)
				m.Send(103*ms, 0, 1000)
				n.Send(104*ms, 1000, 1000)
				n.Send(105*ms, 2000, 1000)
			},
			want: []run{
				{first: 1, packets: 2, dsn: 1, length: 2000, sender: true},
				{first: 3, packets: 1, dsn: 2001, length: 3000, sender: true},
				{first: 4, packets: 1, dsn: 1, length: 2000, sender: true, repeated: true},
				{first: 5, packets: 2, dsn: 2001, length: 3000, sender: true, repeated: true},
			},
		},
		"the DATA_FIN, sent twice": {
			play: func(f, _ *tracegen.Subflow) {
				f.Data(tracegen.A2B, 100*ms, 0, 1000)
				f.DataFIN(tracegen.A2B, 101*ms, 1000)
				f.DataFIN(tracegen.A2B, 102*ms, 1000)
			},
			want: []run{{first: 1, packets: 1, dsn: 1, length: 1000, sender: true}, {first: 2, packets: 2, dsn: 1001, fin: true, sender: true}},
		},
		"the DATA_FIN, sent again after a retransmission": {
			play: func(f, _ *tracegen.Subflow) {
				m := f.Map(tracegen.A2B, 0, 1000)
				m.Send(100*ms, 0, 1000)
				f.DataFIN(tracegen.A2B, 101*ms, 1000)
				m.Send(102*ms, 0, 1000)
				f.DataFIN(tracegen.A2B, 103*ms, 1000)
			},
			want: []run{
				{first: 1, packets: 1, dsn: 1, length: 1000, sender: true},
				{first: 2, packets: 1, dsn: 1001, fin: true, sender: true},
				{first: 3, packets: 1, dsn: 1, length: 1000, sender: true, repeated: true},
				{first: 4, packets: 1, dsn: 1001, fin: true, sender: true, repeated: true},
			},
		},
		"the DATA_FIN, sent with a mapping that was known": {
			play: func(f, _ *tracegen.Subflow) {
				f.Map(tracegen.A2B, 0, 1000).Send(100*ms, 0, 1000)
				f.Map(tracegen.A2B, 0, 1000).WithFIN().Send(101*ms, 0, 1000)
				f.DataFIN(tracegen.A2B, 102*ms, 1000)
			},
			want: []run{
				{first: 1, packets: 1, dsn: 1, length: 1000, sender: true},
				{first: 2, packets: 1, dsn: 1, length: 1000, fin: true, sender: true},
				{first: 3, packets: 1, dsn: 1001, fin: true, sender: true, repeated: true},
			},
		},
		"segments of two writes take turns on two subflows": {
			play: func(f, g *tracegen.Subflow) {
				f.Ack(tracegen.B2A, 90*ms) // a join is for connections whose keys are known on both ends
				g.Open(100 * ms)
				m, n := f.Map(tracegen.A2B, 0, 3000), g.Map(tracegen.A2B, 3000, 3000)
				for i := range 3 {
					m.Send(time.Duration(500+2*i)*ms, 1000*i, 1000)
					n.Send(time.Duration(501+2*i)*ms, 1000*i, 1000)
				}
			},
			// Behind the acknowledgment and the four packets of the join.
			want: []run{{first: 6, packets: 3, dsn: 1, length: 3000, sender: true}, {subflow: 1, first: 7, packets: 3, dsn: 3001, length: 3000, sender: true}},
		},
		"a checksum settled within its run": {
			checksum: true,
			play: func(f, _ *tracegen.Subflow) {
				m := f.Map(tracegen.A2B, 0, 2000)
				m.Send(100*ms, 0, 1000)
				m.Send(101*ms, 1000, 1000)
				m.Send(102*ms, 1000, 1000)
			},
			want: []run{{first: 1, packets: 3, dsn: 1, length: 2000, sender: true, ok: new(true)}},
		},
		"a checksum settled behind its run, and one never": {
			checksum: true,
			play: func(f, _ *tracegen.Subflow) {
				m, n := f.Map(tracegen.A2B, 0, 2000), f.Map(tracegen.A2B, 2000, 3000)
				m.Send(100*ms, 0, 1000)
				n.Send(101*ms, 0, 1000)
				n.Send(102*ms, 1000, 1000)
				m.Send(103*ms, 1000, 1000).Edit(func(p *tracegen.Packet) { p.Payload[7] ^= 1 })
			},
			want: []run{
				{first: 1, packets: 1, dsn: 1, length: 2000, sender: true, ok: new(false)}, // as soon as it is known
				{first: 2, packets: 2, dsn: 2001, length: 3000, sender: true},
				{first: 4, packets: 1, dsn: 1, length: 2000, sender: true, repeated: true},
			},
		},
	} {
		s := tracegen.NewSession(tracegen.Config{Version: 1, Checksum: tt.checksum})
		f, g := s.Subflow(path(0)), s.Subflow(path(1))
		f.Open(0)
		tt.play(f, g)
		assert.Check(t, is.DeepEqual(mappingsOf(t, s), tt.want, cmp.AllowUnexported(run{})), "%s", name)
	}
}

// mappingsOf returns the rows of a session as A sees it.
func mappingsOf(t *testing.T, s *tracegen.Session) (out []run) {
	t.Helper()
	var sink mappingRows
	stream := rows.New(&sink, func(*conn.Subflow) string { return "path" }, func(*conn.Conn) bool { return true }, "")
	conntest.Play(t, s, tracegen.HostA, stream)
	if stream.Finish() != nil {
		t.Fatal(stream.Finish())
	}
	for _, r := range sink.rows {
		out = append(out, run{
			subflow: r.Subflow, first: r.Packet - 3, packets: r.Packets, dsn: r.DSN, length: r.Length,
			repeated: r.Repeated, fin: r.DataFin, sender: r.Direction == report.A2B, ok: r.ChecksumOK,
		})
	}
	return out
}
