package metrics

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
