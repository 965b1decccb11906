package catalogue

import (
	"strings"
	"testing"
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
	const names = "delays, order, windows, verdicts"
	for list, wrong := range map[string][]string{
		"": {`""`, names}, "delay": {`"delay"`, "did you mean delays?"}, "order,x,y": {`"x"`, `"y"`, names},
		"all,order": {`"all"`, "stands alone", names}, "basic,order": {`"basic"`, "stands alone", names},
	} {
		got, err := ParseFamilies(list)
		if err == nil {
			t.Errorf("%q is read as %v", list, got)
			continue
		}
		for _, want := range wrong {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q: no %s in %v", list, want, err)
			}
		}
	}
}
