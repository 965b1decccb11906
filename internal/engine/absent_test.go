package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/tracegen"
)

// TestAbsentConnection asks for each connection of a capture, or of two, and for one more.
// The error for that one says that it does not exist, and how to list those that do. A
// damaged capture may have lost it; then the damage is reported.
func TestAbsentConnection(t *testing.T) {
	net := twoUploads()
	a := writeView(t, "a.pcap", net.Packets(tracegen.HostA), tracegen.Format{}, nil)
	b := writeView(t, "b.pcap", net.Packets(tracegen.HostB), tracegen.Format{}, nil)
	for _, receiver := range [][]string{nil, {b}} {
		for id := range 3 {
			doc, err := engine.Analyze(context.Background(), engine.Options{
				Paths: []string{a}, Receiver: receiver, Interval: 100 * time.Millisecond, Connection: id, Clock: clock.None,
			})
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
	cut := filepath.Join(t.TempDir(), "cut.pcap")
	truncate(t, a, cut)
	doc, err := engine.Analyze(context.Background(), engine.Options{Paths: []string{cut}, Interval: 100 * time.Millisecond, Connection: 2})
	if !engine.Damaged(err) || doc == nil || len(doc.Connections) != 0 {
		t.Errorf("cut: %v", err)
	}
}

// truncate writes all of a file except its last byte to another file.
func truncate(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text[:len(text)-1], 0o600); err != nil {
		t.Fatal(err)
	}
}
