package metrics

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/conn"
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
		"delays":   "hol_degree hol_degree_all_paths hol_queue hol_queue hol_wait in_order_wait path_delay protocol_delay waiting_time",
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
	for seed := range uint64(3) {
		for _, cfg := range []Config{
			{Interval: 100 * msec},
			{Interval: 70 * msec, Skip: 150 * msec, Until: 700 * msec},
			{},
		} {
			for _, v := range []tracegen.View{tracegen.HostA, tracegen.HostB} {
				all := measure(t, traffic(seed), v, cfg)
				cfg := cfg
				for omit := range AllFamilies {
					if cfg.Omit = Families(omit) | FamilyVerdicts; omit&int(FamilyVerdicts) != 0 {
						break
					}
					part := measure(t, traffic(seed), v, cfg)
					samePart(t, all, part)
					if t.Failed() {
						t.Fatalf("seed %d, view %v, %+v", seed, v, cfg)
					}
				}
			}
		}
	}
}

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
	d := &m.Dirs[conn.A]
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
		x, n := &s.Dirs[conn.A], string(rune('0'+i))
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
