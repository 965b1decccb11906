package engine_test

import (
	"bytes"
	"testing"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/testrun"
	"mpanalyze/internal/tracegen"
)

// Packets that are processed connection by connection give the same document as in the
// order of the capture.
func TestGrouped(t *testing.T) {
	t.Parallel()
	for _, attack := range tracegen.Attacks() {
		t.Run(attack.Name, func(t *testing.T) {
			var file bytes.Buffer
			w, err := tracegen.NewWriter(&file, tracegen.Format{})
			if err == nil {
				err = tracegen.WriteAttack(w, attack.Name, testrun.Cases(1000))
			}
			if err == nil {
				err = w.Flush()
			}
			if err != nil {
				t.Fatal(err)
			}
			inOrder := analyzeFile(t, engine.Options{}.InOrder(), file.Bytes())
			if got := analyzeFile(t, engine.Options{}, file.Bytes()); got != inOrder {
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
