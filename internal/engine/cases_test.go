package engine_test

import (
	"strings"
	"testing"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
)

const cases = "../../testdata/cases/"

// The MP_CAPABLE of packet 4 has data and the flag A, but 22 bytes: its checksum is behind the
// option. It is malformed, and may be why b resets the connection. With 24 bytes it is whole.
func TestCapableWithoutChecksum(t *testing.T) {
	for name, want := range map[string]int64{"mp-capable-22-bytes": 4, "mp-capable-24-bytes": 0} {
		doc := analyzed(t, engine.Options{Paths: []string{cases + name + ".pcap.zst"}, Connection: engine.AllConnections})
		c := &doc.Connections[0]
		at := int64(0)
		for _, e := range c.Events {
			if e.Kind == report.EventMalformedOption {
				at = *e.Packet
			}
		}
		warned := int64(0)
		for _, w := range doc.Warnings {
			if w.Code == "malformed_option" && w.Count == 1 {
				warned = *w.Packet
			}
		}
		if at != want || warned != want {
			t.Errorf("%s: malformed option in packet %d, warning of packet %d; want %d", name, at, warned, want)
		}
		for _, v := range *c.Verdicts {
			if v.Code == report.VerdictReset && !strings.Contains(v.Text, "a possible cause is the malformed option") {
				t.Errorf("%s: %s", name, v.Text)
			}
		}
	}
}
