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
)

// someNames are metrics, of which one begins like others, and parts of them.
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

// TestReasonsAreAMap holds reasons against a map that is told the same: what is
// said of a metric takes the place of what was said of its parts.
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
				r.settle(metric, false, why)
			case 1:
				r.follow(metric, before)
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
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(model)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Fatal(diff)
		}
		var back Reasons
		if err := json.Unmarshal(got, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r, back); diff != "" {
			t.Fatal(diff)
		}
	}
}

// TestSharedReasons takes sets as a builder does: equal ones are one, and what
// is then done to one owner's shows nowhere else.
func TestSharedReasons(t *testing.T) {
	var tree reasonTree
	note := func(pairs ...string) Reasons {
		for i := 0; i < len(pairs); i += 2 {
			tree.Set(pairs[i], pairs[i+1])
		}
		return tree.take()
	}
	a, b := note("y", "2", "x", "1"), note("y", "2", "x", "1")
	if &a[0] != &b[0] {
		t.Error("equal reasons do not share their memory")
	}
	c, d := note("x", "1", "y", "3"), note("x", "1")
	if none := note(); none != nil {
		t.Errorf("got %v of no reasons", none)
	}
	a.Set("x", "changed")
	b.Set("a", "first")
	d.Set("z", "last")
	for name, pair := range map[string][2]Reasons{
		"overwritten":   {{{"x", "changed"}, {"y", "2"}}, a},
		"grown":         {{{"a", "first"}, {"x", "1"}, {"y", "2"}}, b},
		"other":         {{{"x", "1"}, {"y", "3"}}, c},
		"grown, others": {{{"x", "1"}, {"z", "last"}}, d},
		"remembered":    {{{"x", "1"}, {"y", "2"}}, note("y", "2", "x", "1")},
		"other order":   {{{"x", "1"}, {"y", "2"}}, note("x", "1", "y", "2")},
		"said again":    {{{"x", "3"}, {"y", "2"}}, note("x", "1", "y", "2", "x", "3")},
		"shorter":       {{{"x", "1"}}, note("x", "1")},
		"part":          {{{"x", "1"}, {"y.a", "2"}}, note("y.a", "2", "x", "1")},
		"whole for it":  {{{"x", "1"}, {"y", "3"}}, note("y.a", "2", "x", "1", "y", "3")},
		"part behind":   {{{"x", "1"}, {"y", "2"}, {"y.a", "3"}}, note("y", "2", "x", "1", "y.a", "3")},
	} {
		if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestReasonTreeIsBounded says more than is remembered, of which nothing may be
// lost: whole parts, and what follows in the middle of one.
func TestReasonTreeIsBounded(t *testing.T) {
	var tree reasonTree
	for i := range 2 * maxReasonNodes {
		want := Reasons{{"a", "common"}, {"metric", fmt.Sprint(i)}, {"z", "then"}}
		for _, r := range want {
			tree.Set(r.Metric, r.Why)
		}
		got := tree.take()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
		got.Set("b", "of this part only")
	}
	if tree.nodes != maxReasonNodes {
		t.Errorf("%d nodes, want %d", tree.nodes, maxReasonNodes)
	}
}
