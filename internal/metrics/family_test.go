package metrics

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/stats"
	"mpanalyze/internal/tracegen"
)

func TestParseFamilies(t *testing.T) {
	for list, want := range map[string]Families{
		"all": 15, "basic": 0, "delays": 1, "order": 2, "windows": 4, "delays,order": 3, "order, delays": 3, "windows,windows": 4,
		"verdicts": 1 + 4 + 8, "verdicts,order": 15,
	} {
		got, err := ParseFamilies(list)
		if err != nil || got != want {
			t.Errorf("%q: %v, %v; want %v", list, got, err, want)
		}
		if again, err := ParseFamilies(got.String()); err != nil || again != got {
			t.Errorf("%q is written %q, which is read as %v, %v", list, got, again, err)
		}
	}
	for list, wrong := range map[string][]string{
		"": {`""`}, "delay": {`"delay"`}, "order,x,y": {`"x"`, `"y"`}, "all,order": {`"all"`}, "basic,order": {`"basic"`},
	} {
		got, err := ParseFamilies(list)
		if err == nil {
			t.Errorf("%q is read as %v", list, got)
			continue
		}
		for _, want := range append(wrong, "delays, order, windows, verdicts") {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q: no %s in %v", list, want, err)
			}
		}
	}
}

// TestFamilies holds the families of the table against the sections of the
// definitions that they are of.
func TestFamilies(t *testing.T) {
	want := map[string]string{
		"delays":   "hol_blocking hol_degree hol_degree_all_paths hol_queue hol_queue hol_wait in_order_wait path_delay protocol_delay waiting_time",
		"order":    "bursts dsn_offset out_of_order",
		"windows":  "awnd_delta cwnd_decisions cwnd_estimate cwnd_estimate dsr rb2loc rec_path_list rwnd rwnd_free rwnd_limited throughput_estimate",
		"verdicts": "handovers",
	}
	got := map[string][]string{}
	for _, m := range Table() {
		if m.Family != 0 {
			got[m.Family.String()] = append(got[m.Family.String()], m.Name)
		}
		if m.Series && FamilyOf(m.Name) != m.Family {
			t.Errorf("series %s is of family %v, the metric of %v", m.Name, FamilyOf(m.Name), m.Family)
		}
	}
	for family, names := range want {
		if d := cmp.Diff(strings.Fields(names), got[family]); d != "" {
			t.Errorf("%s (-want +got):\n%s", family, d)
		}
	}
	if len(got) != len(want) || slices.Contains(SeriesNames(), "") {
		t.Errorf("families %v", got)
	}
}

// TestPartial holds what is measured without verdicts, each packet by itself,
// against what is measured with trains and their runs: of all the time and of a
// part, at the sender and at the receiver.
func TestPartial(t *testing.T) {
	told := func(sub int) func(*conn.Conn, *conn.Subflow, conn.Side) bool {
		return func(_ *conn.Conn, s *conn.Subflow, _ conn.Side) bool { return sub < 0 || s != nil && s.ID == sub }
	}
	for name, session := range map[string]func() *tracegen.Session{
		"1": func() *tracegen.Session { return traffic(1) }, "2": func() *tracegen.Session { return traffic(2) },
		"late mappings": lateMappings, "used up": usedUpAgain,
	} {
		for _, cfg := range []Config{
			{Interval: 100 * msec},
			{Interval: 70 * msec, Skip: 150 * msec, Until: 730 * msec},
			{},
			{Interval: 100 * msec, Elsewhere: told(-1)},
			{Interval: 100 * msec, Elsewhere: told(0)},
		} {
			for i := range 4 {
				v, back := []tracegen.View{tracegen.HostA, tracegen.HostB}[i%2], i > 1
				all := observe(t, session(), v, cfg, back)
				cfg := cfg
				for omit := range FamilyVerdicts {
					cfg.Omit = omit | FamilyVerdicts
					part := observe(t, session(), v, cfg, back)
					samePart(t, all, part)
					idle(t, part.Connection)
					if t.Failed() {
						t.Fatalf("session %s, view %v, stamps that go back %v, %+v", name, v, back, cfg)
					}
				}
			}
		}
	}
}

// observe measures what a view saw of a session, perhaps with stamps that go back
// at times, and with series unless another capture tells of it: then there are
// none.
func observe(t *testing.T, s *tracegen.Session, v tracegen.View, cfg Config, back bool) *measured {
	t.Helper()
	m := &measured{}
	if cfg.Elsewhere == nil {
		m.gather(&cfg)
	}
	k := NewCollector(cfg, func(got *Connection) { m.Connection = got })
	if back {
		play(t, s, v, allBack{k})
	} else {
		play(t, s, v, k)
	}
	return m
}

// idle fails where something is measured of families that are not derived.
func idle(t *testing.T, m *Connection) {
	t.Helper()
	none := func(what string, family Families, dists ...*stats.Dist) {
		for _, x := range dists {
			if m.Omits(family) && x.N() > 0 {
				t.Errorf("%d values of %s", x.N(), what)
			}
		}
	}
	for _, side := range []conn.Side{conn.A, conn.B} {
		d := m.Dir(side)
		none("delays", FamilyDelays, &d.ProtocolDelay, &d.HoLDegree)
		none("windows", FamilyWindows, &d.Window.Rwnd, &d.Window.Free, &d.Awnd.Delta)
		for _, s := range m.Subs {
			x := s.Dir(side)
			none("delays", FamilyDelays, &x.PathDelay, &x.HoLWait, &x.InOrderWait)
			none("windows", FamilyWindows, &x.Cwnd.Bytes, &x.DSR.Rates)
		}
	}
}

// lateMappings is a session of which mappings are known late: by a packet behind
// their payload, and by an acknowledgment that shows that there will be none.
func lateMappings() *tracegen.Session {
	s := tracegen.NewSession(tracegen.Config{Version: 1})
	f := s.Subflow(tracegen.Path{A: addr("10.0.0.1:40000"), B: addr("10.0.1.1:80")})
	f.Open(0)
	bare := func(p *tracegen.Packet) { p.Options = nil }
	f.Data(tracegen.A2B, 50*msec, 0, 100)
	for i := range 20 {
		m := f.Map(tracegen.A2B, int64(100+300*i), 300)
		for k := range 3 {
			if x := m.Send(time.Duration(100+40*i+k)*msec, 100*k, 100); k < 2 || i%2 == 0 {
				x.Edit(bare)
			}
		}
		if i%2 == 0 {
			m.Send(time.Duration(104+40*i)*msec, 300, 0) // the mapping alone
		}
		f.Ack(tracegen.B2A, time.Duration(130+40*i)*msec)
	}
	m := f.Map(tracegen.A2B, 6100, 2000).Bare()
	for i := range 20 {
		m.Send(time.Duration(1000+10*i)*msec, 100*i, 100)
	}
	f.Ack(tracegen.B2A, 1210*msec).Edit(bare)
	return s
}

// usedUpAgain is a session whose window has room for two segments and is used up
// by them, 30 times.
func usedUpAgain() *tracegen.Session {
	s, f := onePath(tracegen.Config{Version: 1})
	for i := range 30 {
		at := time.Duration(100+80*i) * msec
		f.Data(tracegen.A2B, at, int64(1024*i), 512)
		x := f.Data(tracegen.A2B, at+2*msec, int64(1024*i+512), 512)
		offer(f.Ack(tracegen.B2A, x.ArrivesAt()), 1024)
	}
	return s
}

// goingBack has some packets with payload bear a stamp before that of the packet
// before them, within a cell and into the one before.
type goingBack struct {
	conn.Observer
	packets int
}

func (g *goingBack) Packet(p *conn.Packet) {
	now := p.Seg.Time
	if g.packets++; g.packets%7 == 0 && p.Seg.PayloadLen > 0 {
		p.Seg.Time -= int64(13 * msec)
	}
	g.Observer.Packet(p)
	p.Seg.Time = now
}

// allBack is a collector of such connections.
type allBack struct{ *Collector }

func (k allBack) Open(c *conn.Conn) conn.Observer { return &goingBack{Observer: k.Collector.Open(c)} }

// samePart fails where what part measured of the families that it derives is
// not what all did, or where a series is of another one.
func samePart(t *testing.T, all, part *measured) {
	t.Helper()
	want, got := derived(all.Connection, part.omit), derived(part.Connection, part.omit)
	if d := cmp.Diff(want, got, cmp.Comparer(closeFloats)); d != "" {
		t.Errorf("(-all +part):\n%s", d)
	}
	lines, other := all.byLine(), part.byLine()
	for l := range lines {
		if FamilyOf(l.metric)&part.omit != 0 {
			delete(lines, l)
		}
	}
	if d := cmp.Diff(lines, other, cmp.AllowUnexported(line{}), cmp.Comparer(closeFloats)); d != "" {
		t.Errorf("series (-all +part):\n%s", d)
	}
}

// closeFloats reports whether two numbers differ by no more than sums do that are
// taken in another order.
func closeFloats(a, b float64) bool {
	return a == b || max(a-b, b-a) <= 1e-11*max(a, -a, b, -b, 1)
}

// derived is what is derived of the data that A sends without some families.
func derived(m *Connection, omit Families) map[string]any {
	out := map[string]any{}
	entered := entered(m)
	for name, v := range entered {
		order := strings.Contains(name, "offset") || strings.Contains(name, "extent") || strings.Contains(name, "burst") || strings.Contains(name, "duration") ||
			name == "chunks" || name == "peak" || name == "n-reordered"
		signs := name == "signs" || strings.HasSuffix(name, "course")
		if !signs && (omit&FamilyOrder == 0 || !order) && (omit&FamilyWindows == 0 || name != "window") {
			out[name] = v
		}
	}
	d := m.Dir(conn.A)
	bytes, segments := d.HoLQueue()
	if omit&FamilyDelays == 0 {
		out["T"], out["zeta"], out["zeta of all"] = d.ProtocolDelay.Describe(), d.HoLDegree.Describe(), d.HoLDegreeAllPaths.Describe()
		out["queue"], out["queued segments"], out["genuine"] = bytes.Describe(), segments.Describe(), d.genuine
	}
	if omit&FamilyWindows == 0 {
		out["rwnd"], out["free"], out["delta"] = d.Window.Rwnd.Describe(), d.Window.Free.Describe(), d.Awnd.Delta.Describe()
		out["blocks"] = []int64{d.Awnd.Blocks, d.Awnd.Time}
	}
	for i, s := range m.Subs {
		x, n := s.Dir(conn.A), string(rune('0'+i))
		out["rtt"+n], out["srtt"+n], out["rttvar"+n], out["rto"+n] = x.RTT.Describe(), x.SRTT.Describe(), x.RTTVar.Describe(), x.RTO.Describe()
		out["newest"+n], out["flight"+n] = x.RTTNewest.Describe(), x.InFlight.Describe()
		if omit&FamilyDelays == 0 {
			out["t"+n], out["theta"+n], out["wait"+n] = x.PathDelay.Describe(), x.WaitingTime().Describe(), x.HoLWait.Describe()
			out["clipped"+n], out["in order"+n] = x.HoLClipped, x.InOrderWait.Describe()
		}
		if omit&FamilyWindows == 0 {
			out["cwnd"+n], out["estimate"+n], out["dsr"+n] = x.Cwnd.Bytes.Describe(), x.Cwnd.Throughput.Describe(), x.DSR.Rates.Describe()
			out["decided"+n], out["left out"+n] = []int64{x.Cwnd.Decisions.Decrease, x.Cwnd.Decisions.Increase, x.Cwnd.Decisions.Hold}, x.Rec
		}
	}
	return out
}
