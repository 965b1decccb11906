package capture

import "testing"

func TestLinkTypeString(t *testing.T) {
	tests := []struct {
		link LinkType
		want string
	}{
		// Numbers of LINKTYPE_ values and names as "tcpdump -L" prints them.
		{0, "NULL"},
		{1, "EN10MB"},
		{9, "PPP"},
		{12, "RAW"},
		{14, "RAW"},
		{50, "PPP_SERIAL"},
		{51, "PPP_ETHER"},
		{101, "RAW"},
		{104, "C_HDLC"},
		{105, "IEEE802_11"},
		{108, "LOOP"},
		{113, "LINUX_SLL"},
		{127, "IEEE802_11_RADIO"},
		{228, "IPV4"},
		{229, "IPV6"},
		{276, "LINUX_SLL2"},
		{147, "LINKTYPE_147"},
	}
	for _, tt := range tests {
		if got := tt.link.String(); got != tt.want {
			t.Errorf("LinkType(%d) = %q, want %q", uint16(tt.link), got, tt.want)
		}
	}
}
