package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// someNames are metrics and parts of them. The name of one metric is the beginning of others.
var someNames = func() (out []string) {
	for i := range 12 {
		for _, part := range []string{"", ".x", ".x_y", "[].x"} {
			out = append(out, fmt.Sprint("m", i, part))
		}
	}
	return out
}()

// forget takes a metric and its parts out of a map of reasons.
func forget(model map[string]string, metric string) {
	maps.DeleteFunc(model, func(name, _ string) bool {
		return name == metric || strings.HasPrefix(name, metric+".") || strings.HasPrefix(name, metric+"[")
	})
}

// TestReasonsAreAMap compares reasons with a map that gets the same calls: the reason of a metric
// replaces those of its parts.
func TestReasonsAreAMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	name := func() string { return someNames[rng.IntN(len(someNames))] }
	var before Reasons
	for range 400 {
		var r Reasons
		model := map[string]string{}
		for range rng.IntN(30) {
			metric, why := name(), fmt.Sprint("why", rng.IntN(5))
			forget(model, metric)
			switch rng.IntN(6) {
			case 0:
				r.Settle(metric, false, why)
			case 1:
				r.Follow(metric, before)
				kept := map[string]string{}
				for _, x := range before {
					kept[x.Metric] = x.Why
				}
				forget(kept, metric)
				for _, x := range before {
					if _, other := kept[x.Metric]; !other {
						model[x.Metric] = x.Why
					}
				}
			default:
				r.Set(metric, why)
				model[metric] = why
			}
		}
		before = r
		for _, metric := range someNames {
			why, ok := r.Of(metric)
			if want, has := model[metric]; why != want || ok != has {
				t.Fatalf("%s: got %q, %v, want %q, %v", metric, why, ok, want, has)
			}
		}
		names := []string{}
		for _, reason := range r {
			names = append(names, reason.Metric)
		}
		if diff := cmp.Diff(slices.Sorted(maps.Keys(model)), names); len(model) > 0 && diff != "" {
			t.Fatal(diff)
		}
		got, err := json.Marshal(r)
		assert.NilError(t, err)
		want, err := json.Marshal(model)
		assert.NilError(t, err)
		assert.Assert(t, is.DeepEqual(string(got), string(want)))
		var back Reasons
		assert.NilError(t, json.Unmarshal(got, &back))
		assert.Assert(t, is.DeepEqual(back, r))
	}
}
