package build

import (
	"fmt"
	"math"
	"net/netip"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
)

// What is stored of a lone SYN is all of it.
func TestLoneStored(t *testing.T) {
	for _, l := range []conn.LoneSYN{
		{ID: -1},
		{
			Packet: math.MaxUint64, Time: math.MinInt64, Until: math.MaxInt64, Order: math.MaxUint32, ID: math.MaxInt32, Token: math.MaxUint32,
			Ends:  [2]packet.Endpoint{{Addr: [16]byte{1, 15: 2}, Port: 65535}, {Addr: [16]byte{3, 15: 4}, Port: 80}},
			Offer: conn.Offer{Seen: true, Version: 15, Flags: 0x81}, Vantage: conn.Middle, Cooked: packet.Incoming,
			Joined: true, Backup: true, Address: 255,
		},
		{ID: 3, Backup: true, Cooked: packet.Outgoing},
	} {
		var x loneSYN
		record := append([]byte{}, stored(&l)...)
		assert.Check(t, is.Equal(*x.read(record), l))
	}
}

// A lone SYN has no pointers: nothing would keep what they point to.
func TestLoneHasNoPointers(t *testing.T) {
	var check func(of reflect.Type, name string)
	check = func(of reflect.Type, name string) {
		switch of.Kind() {
		case reflect.Struct:
			for f := range of.Fields() {
				check(f.Type, name+"."+f.Name)
			}
		case reflect.Array:
			check(of.Elem(), name)
		case reflect.Pointer, reflect.Slice, reflect.String, reflect.Map, reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer:
			t.Errorf("%s is a %v", name, of)
		}
	}
	check(reflect.TypeFor[conn.LoneSYN](), "LoneSYN")
}

// knockJudge says of a SYN which packet it is and how long the capture goes on, and whether that is too short.
type knockJudge struct{}

func (knockJudge) verdicts(m *metrics.Connection, path string) report.List[report.Verdict] {
	waited := m.Conn.Until - m.Conn.Start
	return report.List[report.Verdict]{{
		Text: "the path is silent", Path: &path,
		Evidence: []report.Proof{{Packet: new(int64(m.Subs[0].Handshake.SYN.Packet))}, {Value: new(float64(waited) / 1e6), Unit: new("ms")}, {Value: new(1.0), Unit: new("count")}},
	}, {Text: fmt.Sprint("too short: ", waited < 3.5e9)}}
}

func (j knockJudge) Connection(m *metrics.Connection, c *report.Connection) {
	*c.Verdicts = j.verdicts(m, c.Subflows[0].Path)
}

func (j knockJudge) TCP(m *metrics.Connection, t *report.TCP) { t.Verdicts = j.verdicts(m, t.Path) }

func (knockJudge) Waits(*metrics.Connection, *report.Connection) []report.Verdict { return nil }

func (knockJudge) Related(t *report.TCP) bool { return t.MPTCP != nil }

// knocks are lone SYNs that differ from the first two in one field each, but for their numbers.
func knocks() (all []conn.LoneSYN) {
	end := func(host byte, port uint16) packet.Endpoint {
		return packet.Endpoint{Addr: [16]byte{10: 0xff, 11: 0xff, 12: 10, 15: host}, Port: port}
	}
	plain := conn.LoneSYN{Packet: 3, Time: packet.Origin + 5e9, Until: packet.Origin + 9e9, ID: -1, Ends: [2]packet.Endpoint{end(1, 1000), end(9, 80)}}
	join := plain
	join.ID, join.Joined, join.Token, join.Address = 0, true, 0xabcd, 4
	for _, base := range []conn.LoneSYN{plain, join} {
		for _, edit := range []func(l *conn.LoneSYN){
			func(*conn.LoneSYN) {},
			func(l *conn.LoneSYN) { l.Ends[conn.A] = end(2, 2000) },
			func(l *conn.LoneSYN) { l.Ends[conn.B] = end(8, 81) },
			func(l *conn.LoneSYN) { l.Until = l.Time + 3.5e9 },
			func(l *conn.LoneSYN) { l.Until = l.Time + 3.5e9 - 1 },
			func(l *conn.LoneSYN) { l.Backup = l.ID >= 0 },
			func(l *conn.LoneSYN) { l.Vantage = conn.AtB },
			func(l *conn.LoneSYN) { l.Cooked = packet.Outgoing },
			func(l *conn.LoneSYN) { l.Address, l.Token = 5, 0x12 },
			func(l *conn.LoneSYN) { l.Joined, l.Address = false, 0 },
			func(l *conn.LoneSYN) { l.Offer = conn.Offer{Seen: l.ID < 0, Version: 1, Flags: 1} },
			func(l *conn.LoneSYN) { l.Packet, l.Time, l.Until = 99, l.Time+1e9, l.Until+2e9 },
		} {
			l := base
			edit(&l)
			if l.Order = len(all); l.ID >= 0 {
				l.ID = len(all)
			}
			l.Packet += uint64(len(all))
			all = append(all, l)
		}
	}
	return all
}

// TestLoneAgain: a report that is made from the pattern of its kind is the one that is made anew.
func TestLoneAgain(t *testing.T) {
	label := func(a, _ netip.Addr) string {
		return map[bool]string{true: "lte"}[a == netip.MustParseAddr("10.0.0.2")]
	}
	b := &Builder{Into: report.NewStored(0), Detail: report.WithData, Judge: knockJudge{}, Label: label}
	defer b.Into.Close()
	all := knocks()
	for i := range all {
		assert.NilError(t, b.LoneSYN(&all[i]))
	}
	b.Into.Finish(&report.Document{})
	doc, err := b.Into.Document()
	assert.NilError(t, err)
	alike := cmpopts.EquateEmpty()
	for range 2 {
		for i := range doc.Connections {
			got, err := b.Into.ConnectionAt(i)
			assert.Check(t, err == nil && cmp.Equal(*got, doc.Connections[i], alike), "connection %d (-whole +again): %v\n%s", i, err, cmp.Diff(doc.Connections[i], *got, alike))
		}
		for i := range doc.TCP {
			got, err := b.Into.TCPAt(i)
			assert.Check(t, err == nil && cmp.Equal(*got, doc.TCP[i], alike), "plain %d (-whole +again): %v\n%s", i, err, cmp.Diff(doc.TCP[i], *got, alike))
		}
	}
	n := len(all) / 2
	assert.Assert(t, len(doc.TCP) == n && len(doc.Connections) == n && len(b.loneSYN.patterns) < 2*n,
		"%d plain, %d connections, %d patterns", len(doc.TCP), len(doc.Connections), len(b.loneSYN.patterns))
	c, p := &doc.Connections[8], &doc.TCP[1]
	if c.ID != n+8 || c.Start != 5e9 || *c.TokenB != "0x00000012" || *c.Subflows[0].AddressIDA != 5 || c.Subflows[0].Path != "10.0.0.1-10.0.0.9" || *(*c.Verdicts)[0].Evidence[0].Packet != int64(3+n+8) || *(*c.Verdicts)[0].Evidence[1].Value != 4000 {
		t.Errorf("a join: %+v", c)
	}
	assert.Check(t, p.ID == 1 && p.Path == "lte" && p.A.Addr == "10.0.0.2" && p.A.Port == 2000 && p.B.Port == 80 && *p.Verdicts[0].Path == "lte", "plain: %+v", p)
}

// TestLoneLeftOut: where plain connections were not asked for, a lone SYN of one is counted alone.
func TestLoneLeftOut(t *testing.T) {
	b := &Builder{Into: report.NewStored(0), Detail: report.NoTCP}
	defer b.Into.Close()
	for _, l := range []conn.LoneSYN{{ID: -1}, {ID: 0, Joined: true}, {ID: -1}} {
		assert.NilError(t, b.LoneSYN(&l))
	}
	assert.Check(t, b.LeftOut == 2 && b.Into.NumConnections() == 1 && b.Into.NumTCP() == 0, "%d left out, %d and %d stored", b.LeftOut, b.Into.NumConnections(), b.Into.NumTCP())
}
