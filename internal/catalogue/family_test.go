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
