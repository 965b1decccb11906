package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReasonsAreAMap holds reasons against a map that is told the same.
func TestReasonsAreAMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var r Reasons
		model := map[string]string{}
		for range rng.IntN(30) {
			metric, why := fmt.Sprint("m", rng.IntN(12)), fmt.Sprint("why", rng.IntN(5))
			r.Set(metric, why)
			model[metric] = why
		}
		for i := range 12 {
			metric := fmt.Sprint("m", i)
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
