package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/jsonreport"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
	parts "mpanalyze/internal/split"
	"mpanalyze/internal/testrun"
	"mpanalyze/internal/tracegen"
)

// storedText returns a report as JSON, and its summary.
func storedText(t testing.TB, s *report.Stored) []byte {
	t.Helper()
	defer s.Close()
	var b bytes.Buffer
	if err := errors.Join(jsonreport.Write(&b, s), plaintext.Summary(&b, s, plaintext.Options{})); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sameInParts compares the report on the parts of a capture with that on the whole. It
// reports whether the capture could be split.
func sameInParts(t *testing.T, what string, file []byte, n int) bool {
	t.Helper()
	return sameInPartsWith(t, what, file, n, engine.Options{Connection: engine.AllConnections, Detail: report.WithData, Decap: true}, false)
}

// sameInPartsWith does so with given options; with byResults each part is also analysed on
// its own.
func sameInPartsWith(t *testing.T, what string, file []byte, n int, o engine.Options, byResults bool) bool {
	t.Helper()
	dir := t.TempDir()
	o.Paths = []string{filepath.Join(dir, "whole.pcap")}
	if err := os.WriteFile(o.Paths[0], file, 0o600); err != nil {
		t.Fatal(err)
	}
	rec, err := parts.NewRecorder()
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	x, err := engine.Record(context.Background(), o, rec)
	if x == nil {
		if !errors.As(err, new(*engine.InputError)) {
			t.Fatal(err)
		}
		t.Logf("%s: %v", what, err)
		return false
	}
	out := filepath.Join(dir, "parts")
	if err := rec.Write(context.Background(), out, o.Paths, n, x); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	sameMerged(t, fmt.Sprintf("%s in %d parts", what, n), out, o)
	if byResults {
		for i := range x.Parts {
			if err := engine.MergePart(context.Background(), out, i+1, o); err != nil {
				t.Fatal(err)
			}
		}
		sameMerged(t, fmt.Sprintf("%s, results of %d parts", what, n), out, o)
	}
	return true
}

// sameMerged compares the report on the parts in a directory with that on the whole.
func sameMerged(t *testing.T, what, dir string, o engine.Options) {
	t.Helper()
	merged, met := engine.Merge(context.Background(), dir, o)
	whole, damage := engine.AnalyzeStored(context.Background(), o)
	if whole == nil {
		t.Fatalf("%s: no report on the whole: %v", what, damage)
	}
	if merged == nil {
		t.Errorf("%s: %v", what, errors.Join(met, whole.Close()))
		return
	}
	if got, want := fmt.Sprintf("%#v", outcomeOf(met)), fmt.Sprintf("%#v", outcomeOf(damage)); got != want {
		t.Errorf("%s: merged with %s, whole with %s", what, got, want)
	}
	got, want := storedText(t, merged), storedText(t, whole)
	if bytes.Equal(got, want) {
		return
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	from := max(0, at-300)
	t.Errorf("%s: merged\n%s\nwhole\n%s", what, got[from:min(len(got), at+200)], want[from:min(len(want), at+200)])
}

// outcomeOf returns the text of an analysis error, and whether nothing was read.
func outcomeOf(err error) (out struct {
	text            string
	damage, nothing bool
},
) {
	var d *engine.DamageError
	if out.damage = errors.As(err, &d); out.damage {
		out.nothing = d.Nothing
	}
	out.text = fmt.Sprint(err)
	return out
}

// TestPartsStorm: ports are reused, connections have the keys of others, and packets are
// missing, changed or repeated.
func TestPartsStorm(t *testing.T) {
	t.Parallel()
	done := 0
	for seed := range uint64(testrun.Cases(48 / scale)) {
		r := rand.New(rand.NewPCG(seed, 5))
		var file bytes.Buffer
		n := storm(r, 5+r.IntN(90), 1+int(seed%4)*40, time.Duration(1+r.IntN(300))*time.Second)
		if err := n.Write(&file, tracegen.View(seed%3), tracegen.Format{}); err != nil {
			t.Fatal(err)
		}
		m := split(t, fmt.Sprintf("storm %d", seed), file.Bytes())
		for i, text := range [][]byte{m.file, disturbed(r, m, 1000), disturbed(r, m, 100)} {
			if sameInParts(t, fmt.Sprintf("%s, %d", m.name, i), text, 1+r.IntN(6)) {
				done++
			}
		}
	}
	if done == 0 {
		t.Error("no storm could be split")
	}
}

// TestPartsMidway: flows began before the capture, and their numbers show which belong
// together.
func TestPartsMidway(t *testing.T) {
	for round := range testrun.Cases(24) {
		n := tracegen.NewNetwork(tracegen.Start)
		r := rand.New(rand.NewPCG(2, uint64(round)))
		playFragments(n, r)
		var file bytes.Buffer
		if err := n.Write(&file, tracegen.HostA, tracegen.Format{Nanosecond: true}); err != nil {
			t.Fatal(err)
		}
		sameInParts(t, fmt.Sprintf("round %d", round), file.Bytes(), 1+r.IntN(6))
	}
}

// TestPartsAttacks: the bounds of the table are reached.
func TestPartsAttacks(t *testing.T) {
	t.Parallel()
	for _, attack := range tracegen.Attacks() {
		t.Run(attack.Name, func(t *testing.T) {
			rounds, several := 600, []int{3}
			if testing.Short() {
				rounds = 150
			}
			if testrun.All() {
				rounds, several = 2500/scale, []int{1, 3}
			}
			if testrun.All() && (attack.Name == "joins with unknown tokens" || attack.Name == "SYNs with MP_CAPABLE") {
				rounds = 9000 // more than the SYNs that wait
			}
			var file bytes.Buffer
			w, err := tracegen.NewWriter(&file, tracegen.Format{})
			if err == nil {
				err = errors.Join(tracegen.WriteAttack(w, attack.Name, rounds), w.Flush())
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range several {
				sameInParts(t, attack.Name, file.Bytes(), n)
			}
		})
	}
}

// TestPartsDetail: connections that the options leave out are counted over all parts.
func TestPartsDetail(t *testing.T) {
	var file bytes.Buffer
	if err := storm(rand.New(rand.NewPCG(1, 5)), 30, 40, 10*time.Second).Write(&file, tracegen.HostA, tracegen.Format{}); err != nil {
		t.Fatal(err)
	}
	for _, detail := range []report.Detail{report.WithData, report.Summary, report.NoTCP} {
		o := engine.Options{Connection: engine.AllConnections, Detail: detail, Interval: 100 * time.Millisecond}
		if !sameInPartsWith(t, fmt.Sprintf("detail %d", detail), file.Bytes(), 3, o, true) {
			t.Errorf("detail %d: not split", detail)
		}
	}
}

// TestPartsDamage: damage of the whole capture is reported for the parts together, whether
// or not anything was read.
func TestPartsDamage(t *testing.T) {
	var file bytes.Buffer
	if err := storm(rand.New(rand.NewPCG(1, 5)), 10, 40, time.Second).Write(&file, tracegen.HostA, tracegen.Format{}); err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{24, 30, 24 + 16 + 20, file.Len()/2 - 5, file.Len() - 1} {
		if !sameInParts(t, fmt.Sprintf("%d bytes", size), file.Bytes()[:size], 3) {
			t.Errorf("%d bytes: not split", size)
		}
	}
}
