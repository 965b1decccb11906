package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/extract"
)

// TestIDRanges: a flag takes ids and ranges, as often as it is given, in place of the default.
func TestIDRanges(t *testing.T) {
	v := idRanges{ranges: []extract.IDs{{First: 0, Last: 0}}}
	for _, text := range []string{"3,8", "20-39"} {
		if err := v.Set(text); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]extract.IDs{{First: 3, Last: 3}, {First: 8, Last: 8}, {First: 20, Last: 39}}, v.ranges); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if v.String() != "3,8,20-39" {
		t.Errorf("%s", &v)
	}
	for _, text := range []string{"", "-1", "x", "3-", "4-3", "1,,2", "1 2", "99999999999"} {
		if err := new(idRanges).Set(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
