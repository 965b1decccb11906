package metrics

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFamilies compares the families in the table with the sections of the definitions.
func TestFamilies(t *testing.T) {
	want := map[string]string{
		"delays":   "hol_blocking hol_degree hol_degree_all_paths hol_queue hol_queue hol_wait in_order_wait path_delay protocol_delay waiting_time",
		"order":    "bursts dsn_offset out_of_order",
		"windows":  "awnd_delta cwnd_decisions cwnd_estimate cwnd_estimate dsr rb2loc rec_path_list rwnd rwnd_free rwnd_limited throughput_estimate",
		"verdicts": "handovers time_account",
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
