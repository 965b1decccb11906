package engine_test

import "testing"

// TestDoubled: the emulated network duplicated two packets of subflow 1 of l-spurious, and
// none of subflow 0. The sender's capture shows that by DSACKs.
func TestDoubled(t *testing.T) {
	c := &analyzeBytes(t, load(t, "v1/l-spurious/server.pcap.zst", 0).file).doc.Connections[0]
	for i, want := range []int64{0, 2} {
		if n := c.Subflows[i].B2A.NetworkDuplicates; n == nil || *n != want {
			t.Errorf("subflow %d: %v segments doubled, want %d", i, n, want)
		}
	}
}
