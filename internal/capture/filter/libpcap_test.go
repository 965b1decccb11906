//go:build cgo && !nopcap

package filter

import (
	"math"
	"testing"

	"github.com/gopacket/gopacket/pcap"

	"mpanalyze/internal/capture"
)

// TestLinkTypesHaveTheirNames: libpcap, and so tcpdump, gives a link type of the table the same
// name.
func TestLinkTypesHaveTheirNames(t *testing.T) {
	for link := range capture.LinkType(math.MaxUint16) {
		name := link.Framing().Name
		if want := pcap.DatalinkValToName(int(dlt(link))); name != "" && name != want {
			t.Errorf("link type %d is called %q, and %q by libpcap. Correct its number or its name in capture/linktype.go", uint16(link), name, want)
		}
	}
}
