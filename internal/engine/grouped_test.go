package engine_test

import (
	"bytes"
	"cmp"
	"os"
	"runtime"
	"slices"
	"testing"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/testrun"
	"mpanalyze/internal/tracegen"
)

// Packets that are processed connection by connection give the same document as in the
// order of the capture. Where one goroutine reads and tracks, batches are small, so that this begins
// early.
func TestGrouped(t *testing.T) {
	t.Parallel()
	for _, attack := range tracegen.Attacks() {
		t.Run(attack.Name, func(t *testing.T) {
			var file bytes.Buffer
			w, err := tracegen.NewWriter(&file, tracegen.Format{})
			if err == nil {
				err = tracegen.WriteAttack(w, attack.Name, testrun.Cases(3000))
			}
			if err == nil {
				err = w.Flush()
			}
			if err != nil {
				t.Fatal(err)
			}
			inOrder := analyzeFile(t, engine.Options{}.InOrder(), file.Bytes())
			if got := analyzeFile(t, engine.Options{OneGoroutine: true}, file.Bytes()); got != inOrder {
				t.Error(firstDifference(got, inOrder))
			}
		})
	}
}

// Four transfers at once, whose packets are processed at the same time, give the same document as
// in the order of the capture. The packets fill ten batches, because the connections must be open
// for several batches before that begins.
func TestTransfersTogether(t *testing.T) {
	t.Parallel()
	if runtime.GOMAXPROCS(0) == 1 {
		t.Skip("on one processor no packets are processed at the same time")
	}
	for name, at := range map[string]tracegen.View{"sender": tracegen.HostA, "receiver": tracegen.HostB} {
		t.Run(name, func(t *testing.T) {
			var all []tracegen.Packet
			for i := range 4 {
				all = append(all, transferOfTwo(i, 7000).Packets(at)...)
			}
			if len(all) < 40_000 {
				t.Fatalf("%d packets", len(all))
			}
			slices.SortStableFunc(all, func(a, b tracegen.Packet) int { return cmp.Compare(a.Time, b.Time) })
			file, err := os.ReadFile(writeView(t, "transfers.pcap", all, tracegen.Format{SnapLen: 128}, nil))
			if err != nil {
				t.Fatal(err)
			}
			inOrder := analyzeFile(t, engine.Options{}.InOrder(), file)
			if got := analyzeFile(t, engine.Options{}, file); got != inOrder {
				t.Error(firstDifference(got, inOrder))
			}
		})
	}
}

// analyzeFile returns the document of a capture as text.
func analyzeFile(t *testing.T, o engine.Options, file []byte) string {
	t.Helper()
	o.Paths, o.Stdin, o.Connection, o.Decap = []string{"-"}, bytes.NewReader(file), engine.AllConnections, true
	doc, err := engine.Analyze(t.Context(), o)
	got := result{doc: doc, err: err}
	return got.text(t)
}

// firstDifference returns the place where two texts begin to differ.
func firstDifference(got, want string) string {
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	return "..." + got[max(0, at-300):min(len(got), at+200)] + "\nin the order of the capture:\n..." + want[max(0, at-300):min(len(want), at+200)]
}
