package engine_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/engine"
)

// TestAbsentConnection asks for each connection of a capture, or of two, and for one more.
// The error for that one says that it does not exist, and how to list those that do. A
// damaged capture may have lost it; then the damage is reported.
func TestAbsentConnection(t *testing.T) {
	whole := paired(t, twoUploads(), nil, nil)
	a := whole.Paths[0]
	for _, receiver := range [][]string{nil, whole.Receiver} {
		for id := range 3 {
			o := whole
			o.Receiver, o.Connection = receiver, id
			doc, err := engine.Analyze(context.Background(), o)
			if id < 2 {
				if err != nil || len(doc.Connections) != 1 || doc.Connections[0].ID != id {
					t.Errorf("with %q, connection %d: %v", receiver, id, err)
				}
				continue
			}
			if err == nil || doc != nil {
				t.Fatalf("with %q: %v, want an error and no report", receiver, err)
			}
			for _, part := range append([]string{"no connection 2 in " + a, "mpanalyze connections"}, receiver...) {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
		}
	}
	text, err := os.ReadFile(a)
	assert.NilError(t, err)
	o := piped(text[:len(text)-1])
	o.Connection = 2
	doc, err := engine.Analyze(context.Background(), o)
	if !engine.Damaged(err) || doc == nil || len(doc.Connections) != 0 {
		t.Errorf("cut: %v", err)
	}
}
