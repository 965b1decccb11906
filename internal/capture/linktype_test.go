package capture

import "testing"

// TestUnknownLinkType: a link type without a name here has its number. Package filter compares
// the names with those of libpcap.
func TestUnknownLinkType(t *testing.T) {
	for link, want := range map[LinkType]string{147: "LINKTYPE_147", 65535: "LINKTYPE_65535"} {
		if got := link.String(); got != want {
			t.Errorf("LinkType(%d) = %q, want %q", uint16(link), got, want)
		}
	}
}
