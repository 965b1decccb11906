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
	"mpanalyze/internal/report"
	parts "mpanalyze/internal/split"
	"mpanalyze/internal/testrun"
	"mpanalyze/internal/tracegen"
)

// storedText returns a report as JSON.
func storedText(t *testing.T, s *report.Stored) []byte {
	t.Helper()
	defer s.Close()
	var b bytes.Buffer
	if err := jsonreport.Write(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sameInParts holds the report on the parts of a capture against that on the whole. It
// reports whether the capture could be split.
func sameInParts(t *testing.T, what string, file []byte, n int) bool {
	t.Helper()
	dir := t.TempDir()
	o := engine.Options{Paths: []string{filepath.Join(dir, "whole.pcap")}, Connection: engine.AllConnections, Detail: report.WithData, Decap: true}
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
	merged, _ := engine.Merge(context.Background(), out, o)
	whole, _ := engine.AnalyzeStored(context.Background(), o)
	if whole == nil {
		t.Fatalf("%s: no report on the whole", what)
	}
	if merged == nil {
		_, err := engine.Merge(context.Background(), out, o)
		t.Errorf("%s in %d parts: %v", what, n, err)
		return true
	}
	if got, want := storedText(t, merged), storedText(t, whole); !bytes.Equal(got, want) {
		at := 0
		for at < min(len(got), len(want)) && got[at] == want[at] {
			at++
		}
		from := max(0, at-300)
		t.Errorf("%s in %d parts: merged\n%s\nwhole\n%s", what, n, got[from:min(len(got), at+200)], want[from:min(len(want), at+200)])
	}
	return true
}

// TestPartsStorm: the ports of connections are used again, their keys are those of others,
// and packets are missing, altered or repeated.
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

// TestPartsMidway: flows were there before the capture, and their numbers say which belong
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
