package build

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
)

// lateAt is a late packet of a subflow, so many ms after the start of the captures.
func lateAt(id, order, sub int, from conn.Side, ms int64, flags packet.Flags, sacks uint8, pause int64) *conn.Late {
	return &conn.Late{Seg: &packet.Segment{Time: packet.Origin + ms*1e6, Flags: flags, NSACK: sacks}, ID: id, Order: order, Sub: sub, From: from, Pause: pause * 1e6}
}

// lateReports are reports on connections that began 1 s after the start, with 2 and 3 in what late packets
// add to, and a longest pause of 40 ms.
func lateReports() (c report.Connection, t report.TCP) {
	dir := func(n int64) *report.SubDir {
		return &report.SubDir{Fins: n, PureAcks: 10 * n, DSACKBlocks: new(100 * n), IdleMax: new(40.0)}
	}
	c = report.Connection{ID: 7, Start: 1e9, DurationS: 2, Subflows: []report.Subflow{{EndS: 2, A2B: dir(2), B2A: dir(3)}, {EndS: 1, A2B: dir(2), B2A: dir(3)}}}
	t = report.TCP{ID: 4, Start: 1e9, DurationS: 2, EndS: 2, A2B: dir(2), B2A: dir(3)}
	return c, t
}

// TestLatePackets: packets that come after their connection was reported count in its report: FINs and
// pure ACKs with the blocks that report duplicates, the longest pause, and the latest time.
func TestLatePackets(t *testing.T) {
	x := NewLatePackets()
	for _, l := range []*conn.Late{
		lateAt(7, 50, 1, conn.A, 6000, packet.FIN|packet.ACK, 0, 70),
		lateAt(7, 50, 1, conn.A, 5000, packet.ACK, 2, 30),
		lateAt(7, 50, 1, conn.B, 5500, packet.ACK, 0, 20),
		lateAt(7, 50, 9, conn.B, 9000, packet.ACK, 0, 20), // of a subflow that the report does not list
		lateAt(-1, 4, 0, conn.B, 4500, packet.FIN, 3, 90),
		lateAt(-1, 4, 0, conn.A, 4000, packet.ACK, 1, 50),
		lateAt(-1, 7, 0, conn.A, 9000, packet.ACK, 0, 0), // the order of another one
	} {
		assert.Check(t, x.Late(l), "%+v does not count", l)
	}
	want, plain := lateReports()
	want.DurationS = 9 - 1
	want.Subflows[1].EndS = 6 - 1
	a, b := want.Subflows[1].A2B, want.Subflows[1].B2A
	a.Fins, a.PureAcks, a.DSACKBlocks, a.IdleMax = 2+1, 20+1, new(int64(200+2)), new(70.0)
	b.PureAcks = 30 + 1
	plain.DurationS, plain.EndS = 4.5-1, 4.5-1
	plain.A2B.PureAcks, plain.A2B.DSACKBlocks, plain.A2B.IdleMax = 20+1, new(int64(200+1)), new(50.0)
	plain.B2A.Fins, plain.B2A.IdleMax = 3+1, new(90.0)

	c, p := lateReports()
	kept := Builder{conns: []*report.Connection{&c}, tcp: []*report.TCP{&p}}
	kept.AddLate(x)
	assert.Check(t, is.DeepEqual(c, want), "connection")
	assert.Check(t, is.DeepEqual(p, plain), "plain TCP")

	// A stored report numbers plain connections anew; their order tells them.
	c, p = lateReports()
	s := report.NewStored(0)
	defer s.Close()
	for _, err := range []error{s.AddConnection(&c, 7), s.AddTCP(&report.TCP{}, 1, false), s.AddTCP(&p, 4, false)} {
		assert.NilError(t, err)
	}
	s.Finish(&report.Document{})
	x.Amend(s)
	doc, err := s.Document()
	assert.NilError(t, err)
	plain.ID = 1
	assert.Check(t, is.DeepEqual([]report.TCP(doc.TCP), []report.TCP{{}, plain}), "stored")
	assert.Check(t, is.DeepEqual(doc.Connections[0], want), "stored")
}

// TestLateOfShort: a short report keeps its figures, which many reports share, but for the time; a
// direction that was not captured stays so. Late packets make no report shorter, and no pause of it.
func TestLateOfShort(t *testing.T) {
	x := NewLatePackets()
	x.Late(lateAt(7, 0, 0, conn.A, 9000, packet.ACK, 1, 10))
	x.Late(lateAt(-1, 4, 0, conn.B, 9000, packet.FIN, 1, 10))
	for name, edit := range map[string]func(c *report.Connection, p *report.TCP){
		"short":        func(c *report.Connection, p *report.TCP) { c.Short, p.Short = true, true },
		"shared":       func(c *report.Connection, p *report.TCP) { c.Subflows[0].A2B, p.B2A = &noFigures, &noFigures },
		"not captured": func(c *report.Connection, p *report.TCP) { c.Subflows[0].A2B, p.B2A = nil, nil },
	} {
		c, p := lateReports()
		edit(&c, &p)
		a, b := c.Subflows[0].A2B, p.B2A
		var was [2]report.SubDir
		if a != nil {
			was = [2]report.SubDir{*a, *b}
		}
		x.connection(&c)
		x.plain(&p, 4)
		assert.Check(t, c.DurationS == 8 && p.DurationS == 8 && c.Subflows[0].EndS == 8 && (a == nil || cmp.Equal(*a, was[0]) && cmp.Equal(*b, was[1])),
			"%s: ends at %v, %v and %v s; %+v, %+v", name, c.DurationS, p.DurationS, c.Subflows[0].EndS, a, b)
	}
	early := NewLatePackets()
	early.Late(lateAt(7, 0, 0, conn.A, 1500, packet.ACK, 1, 10))
	early.Late(lateAt(-1, 4, 0, conn.B, 1500, packet.FIN, 0, 10))
	c, p := lateReports()
	c.Subflows[0].A2B.DSACKBlocks, p.B2A.DSACKBlocks, p.B2A.IdleMax = nil, nil, nil
	early.connection(&c)
	early.plain(&p, 4)
	d := c.Subflows[0].A2B
	assert.Check(t, c.DurationS == 2 && c.Subflows[0].EndS == 2 && *d.IdleMax == 40 && d.DSACKBlocks == nil && d.PureAcks == 21, "a packet of 1.5 s: %+v, %+v", c, d)
	assert.Check(t, p.EndS == 2 && p.B2A.Fins == 4 && p.B2A.IdleMax == nil, "a packet of 1.5 s: %+v", p.B2A)
}
