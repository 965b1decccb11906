//go:build cgo && !nopcap

package filter

import (
	"math"
	"strings"
	"testing"

	"github.com/gopacket/gopacket/pcap"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/capture"
)

// wrapped is the packet of ethernet behind the header of another link type.
func wrapped(link capture.LinkType, port uint16) *capture.Raw {
	var head []byte
	switch link {
	case capture.LinkEthernet:
		return ethernet(port, 54)
	case capture.LinkSLL: // packet type, ARPHRD_ETHER, address of 6 bytes, protocol
		head = append([]byte{0, 0, 0, 1, 0, 6}, 0, 0, 0, 0, 0, 0, 0, 0, 0x08, 0)
	case capture.LinkSLL2: // protocol, interface 3, ARPHRD_ETHER, packet type, address
		head = append([]byte{0x08, 0, 0, 0, 0, 0, 0, 3, 0, 1, 0, 6}, 0, 0, 0, 0, 0, 0, 0, 0)
	case capture.LinkNull: // AF_INET in the byte order of the host
		head = []byte{2, 0, 0, 0}
	case capture.LinkLoop:
		head = []byte{0, 0, 0, 2}
	case capture.LinkPPP: // protocol 0x21 is IPv4 (RFC 1332)
		head = []byte{0xff, 0x03, 0, 0x21}
	case capture.LinkPPPHDLC:
		head = []byte{0xff, 0x03, 0, 0x21}
	}
	data := append(head, ip(port)...)
	return &capture.Raw{Link: link, Data: data, WireLen: len(data)}
}

func TestExpressions(t *testing.T) {
	tests := []struct {
		expr string
		port uint16
		want bool
	}{
		{"tcp port 5001", 5001, true},
		{"tcp port 5001", 5002, false},
		{"host 10.0.0.2 and not udp", 7, true},
		{"(host 10.0.0.9 or host 10.0.0.1) and tcp", 7, true},
		{"portrange 40000-40010", 40005, true},
		{"portrange 40000-40010", 40011, false},
		{"ip6", 5001, false},
		{"tcp[tcpflags] & tcp-syn != 0", 5001, false},
		{"net 10.0.0.0/24", 1, true},
	}
	links := []capture.LinkType{
		capture.LinkEthernet, capture.LinkSLL, capture.LinkSLL2, capture.LinkNull,
		capture.LinkLoop, capture.LinkPPP, capture.LinkPPPHDLC, capture.LinkRaw, capture.LinkRawDLT, capture.LinkRawBSD,
		capture.LinkIPv4,
	}
	for _, tt := range tests {
		f, err := Compile(tt.expr)
		assert.NilError(t, err)
		for range 2 { // back and forth between link types
			for _, link := range links {
				if got := f.Match(wrapped(link, tt.port)); got != tt.want {
					t.Errorf("%q, port %d, %v: %v, want %v", tt.expr, tt.port, link, got, tt.want)
				}
			}
		}
		assert.Check(t, f.Err(), "%q", tt.expr)
	}
}

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

// The length is the one on the wire, however many bytes were captured.
func TestLengthOnTheWire(t *testing.T) {
	f, err := Compile("greater 1000")
	assert.NilError(t, err)
	for wire, want := range map[int]bool{999: false, 1000: true, 1500: true} {
		if got := f.Match(ethernet(5001, wire)); got != want {
			t.Errorf("%d bytes: %v, want %v", wire, got, want)
		}
	}
}

func TestInvalidExpression(t *testing.T) {
	for _, expr := range []string{"tcp port", "prot 80", "host ...", "(tcp", "ip and ip6"} {
		if _, err := Compile(expr); err == nil || !strings.Contains(err.Error(), "filter \""+expr+"\"") {
			t.Errorf("%q: %v", expr, err)
		}
	}
}

// An expression may use fields that a link type does not have.
func TestInvalidForOneLinkType(t *testing.T) {
	f, err := Compile("ether host 00:00:00:00:00:00")
	assert.NilError(t, err)
	for range 3 {
		assert.Check(t, f.Match(ethernet(1, 54)) && !f.Match(wrapped(capture.LinkRaw, 1)), "wrong match")
	}
	err = f.Err()
	if err == nil || strings.Count(err.Error(), "link type RAW") != 1 {
		t.Errorf("Err = %v, want the link type once", err)
	}
}

// Both ways of running a program must agree.
func TestNumericAgrees(t *testing.T) {
	numeric, err := Compile(numericProgram)
	assert.NilError(t, err)
	compiled, err := Compile("ip and tcp dst port 5001")
	assert.NilError(t, err)
	for port := range uint16(10_000) {
		raw := ethernet(port, 54)
		if port%3 == 0 {
			raw.Data[21] = 1 // a later fragment
		}
		if port%7 == 0 {
			raw.Data = raw.Data[:port%54]
		}
		if n, c := numeric.Match(raw), compiled.Match(raw); n != c {
			t.Fatalf("port %d: numeric %v, libpcap %v", port, n, c)
		}
	}
}

// libpcap's names of link types are the ones that tcpdump prints.
func TestLinkTypeNames(t *testing.T) {
	for _, link := range []capture.LinkType{0, 1, 9, 12, 50, 51, 104, 105, 108, 113, 127, 228, 229, 276} {
		if got, want := link.String(), pcap.DatalinkValToName(int(link)); got != want {
			t.Errorf("link type %d is %q, libpcap says %q", uint16(link), got, want)
		}
	}
}

func TestNoAllocationPerMatch(t *testing.T) {
	for _, expr := range []string{"tcp port 5001", numericProgram, ""} {
		f, err := Compile(expr)
		assert.NilError(t, err)
		raw := ethernet(5001, 54)
		if allocs := testing.AllocsPerRun(100, func() { f.Match(raw) }); allocs != 0 {
			t.Errorf("%q: %v allocations per packet", expr, allocs)
		}
	}
}
