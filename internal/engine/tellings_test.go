package engine_test

import (
	"context"
	"math"
	"path/filepath"
	"testing"
	"time"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
)

// TestTwoTellings analyses the captures of both hosts of real sessions, each
// on its own, and compares what they say of the same data. The definitions
// for the two places differ, and so do the figures, by as much as the
// definitions explain:
//
//   - the receiver's round trips are sums of two halves taken from timestamps,
//     a few percent off in a bulk transfer;
//   - its protocol delay starts at the first arrival, so it is blind to what
//     was lost before, and counts a whole smoothed round trip for the way
//     there and back, which the queue of the way back never made;
//   - it sees of a loss only the gap that a later copy fills.
func TestTwoTellings(t *testing.T) {
	found, err := filepath.Glob("../../testdata/sessions/v[01]/*/client.pcap.zst")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, client := range found {
		server := filepath.Join(filepath.Dir(client), "server.pcap.zst")
		if matches, _ := filepath.Glob(server); matches == nil {
			continue
		}
		t.Run(filepath.Base(filepath.Dir(client)), func(t *testing.T) {
			a, b := tell(t, client), tell(t, server)
			for i := range a.Connections {
				for j := range b.Connections {
					if x, y := &a.Connections[i], &b.Connections[j]; same(x.TokenB, y.TokenB) && x.Vantage == "a" && y.Vantage == "b" {
						compared++
						agree(t, "a2b", x, y, func(c *report.Connection) *report.ConnDir { return &c.A2B },
							func(s *report.Subflow) *report.SubDir { return &s.A2B })
						agree(t, "b2a", y, x, func(c *report.Connection) *report.ConnDir { return &c.B2A },
							func(s *report.Subflow) *report.SubDir { return &s.B2A })
					}
				}
			}
		})
	}
	if compared < 4 {
		t.Errorf("only %d connections with captures of both hosts", compared)
	}
}

func same(a, b *string) bool { return a != nil && b != nil && *a == *b }

func tell(t *testing.T, path string) *report.Document {
	t.Helper()
	doc, err := engine.Analyze(context.Background(), engine.Options{
		Paths: []string{path}, Interval: 100 * time.Millisecond, Connection: engine.AllConnections,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Check(); err != nil {
		t.Error(err)
	}
	return doc
}

// bulk is the size from which a transfer has enough round trips to compare.
const bulk = 500_000

// agree compares one direction as its sender and as its receiver tell it.
func agree(t *testing.T, way string, sender, receiver *report.Connection,
	dir func(*report.Connection) *report.ConnDir, sub func(*report.Subflow) *report.SubDir,
) {
	s, r := dir(sender), dir(receiver)
	if s.Bytes < bulk || sender.Fallback != nil || receiver.Fallback != nil || sender.State != report.ConnClosed {
		return
	}
	if s.Bytes != r.Bytes {
		t.Errorf("%s: the sender tells of %d bytes, the receiver of %d", way, s.Bytes, r.Bytes)
	}
	if s.ProtocolDelay == nil || r.ProtocolDelay == nil {
		t.Errorf("%s: protocol delay %v and %v", way, s.ProtocolDelay, r.ProtocolDelay)
	} else {
		near(t, way+" protocol_delay_ms.avg", s.ProtocolDelay.Avg, r.ProtocolDelay.Avg, 0.25, 10)
	}
	for i := range sender.Subflows {
		for j := range receiver.Subflows {
			if sender.Subflows[i].A.Port == receiver.Subflows[j].A.Port {
				agreeSub(t, way, sub(&sender.Subflows[i]), sub(&receiver.Subflows[j]))
			}
		}
	}
}

func agreeSub(t *testing.T, way string, s, r *report.SubDir) {
	if s.BytesUnique != r.BytesUnique {
		t.Errorf("%s: a subflow carried %d bytes by its sender, %d by its receiver", way, s.BytesUnique, r.BytesUnique)
	}
	if s.SRTT != nil && r.SRTT != nil && r.SRTT.Samples >= 50 {
		near(t, way+" srtt_ms.avg", s.SRTT.Avg, r.SRTT.Avg, 0.12, 2)
	}
	if s.Drops != nil && r.Drops != nil {
		if r.Drops.Count > s.Drops.Count+1 || float64(r.Drops.Count) < 0.8*float64(s.Drops.Count)-3 {
			t.Errorf("%s: %d segments dropped by the sender's evidence, %d gaps at the receiver", way, s.Drops.Count, r.Drops.Count)
		}
	}
}

func near(t *testing.T, what string, sender, receiver, rel, abs float64) {
	t.Helper()
	if math.Abs(sender-receiver) > rel*sender+abs {
		t.Errorf("%s: %.3f by the sender, %.3f by the receiver", what, sender, receiver)
	}
}
