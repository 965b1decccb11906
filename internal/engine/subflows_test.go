package engine_test

import (
	"bytes"
	"net/netip"
	"testing"
	"time"

	"mpanalyze/internal/report"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

// oneAfterTheOther writes a connection whose first subflow stays open, and n further ones, each of which
// is closed before the next one joins. Each carries 100 bytes.
func oneAfterTheOther(t *testing.T, n int) []byte {
	t.Helper()
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
	at := time.Duration(0)
	for i := range n + 1 {
		f := s.Subflow(tracegen.Path{
			A:   netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, byte(1 + min(i, 1))}), uint16(2000+i)),
			B:   netip.AddrPortFrom(netip.AddrFrom4([4]byte{198, 51, 100, 1}), 443),
			ISN: [2]seq.Wire{1000, 2000}, Nonce: [2]uint32{3, 4}, ID: [2]uint8{byte(min(i, 1)), 0},
			Delay: [2]time.Duration{time.Millisecond, time.Millisecond},
		})
		h := f.Open(at)
		at = f.Data(tracegen.A2B, h.Established(), int64(100*i), 100).ArrivesAt() + 3*time.Millisecond
		if i > 0 {
			at = f.FIN(tracegen.A2B, at).ArrivesAt()
			at = f.FIN(tracegen.B2A, at).ArrivesAt()
			at = f.Ack(tracegen.A2B, at).ArrivesAt()
		}
	}
	var file bytes.Buffer
	if err := s.Network().Write(&file, tracegen.HostA, tracegen.Format{Nanosecond: true}); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// TestManySubflows: 1,200 subflows one after the other are subflows of one connection, all in its report,
// although no more than 1,024 may be open at once.
func TestManySubflows(t *testing.T) {
	doc := analyzeBytes(t, oneAfterTheOther(t, 1200)).doc
	c := &doc.Connections[0]
	if len(doc.Connections) != 1 || len(doc.TCP) != 0 || len(c.Subflows) != 1201 || report.Known(c.A2B.Bytes) != 120_100 || len(doc.Warnings) != 0 {
		t.Errorf("%d connections, %d of plain TCP, %d subflows, %d bytes, warnings %v; want 1, 0, 1201, 120100, none",
			len(doc.Connections), len(doc.TCP), len(c.Subflows), report.Known(c.A2B.Bytes), doc.Warnings)
	}
}
