package filter

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/capture"
)

// ethernet is a TCP segment in IPv4 in Ethernet, from 10.0.0.1:1000 to
// 10.0.0.2 and the port, of wire bytes.
func ethernet(port uint16, wire int) *capture.Raw {
	b := append(make([]byte, 12), 0x08, 0x00)
	return &capture.Raw{Link: capture.LinkEthernet, WireLen: wire, Data: append(b, ip(port)...)}
}

// ip is the IPv4 packet of ethernet.
func ip(port uint16) []byte {
	b := []byte{0x45, 0, 0, 40, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2}
	b = binary.BigEndian.AppendUint16(b, 1000)
	b = binary.BigEndian.AppendUint16(b, port)
	return append(b, make([]byte, 16)...)
}

// numericProgram is the output of "tcpdump -ddd ip and tcp dst port 5001".
const numericProgram = `11
40 0 0 12
21 0 8 2048
48 0 0 23
21 0 6 6
40 0 0 20
69 4 0 8191
177 0 0 14
72 0 0 16
21 0 1 5001
6 0 0 262144
6 0 0 0
`

func TestNumericProgram(t *testing.T) {
	f, err := Compile(numericProgram)
	assert.NilError(t, err)
	for port, want := range map[uint16]bool{5001: true, 5002: false} {
		if got := f.Match(ethernet(port, 54)); got != want {
			t.Errorf("port %d: %v, want %v", port, got, want)
		}
	}
	short := ethernet(5001, 54)
	short.Data = short.Data[:30]
	assert.Check(t, !f.Match(short), "a packet cut before its ports matches")
	if err := f.Err(); err != nil {
		t.Errorf("Err = %v", err)
	}
	if f.Match(&capture.Raw{Link: capture.LinkRaw, Data: ip(5001), WireLen: 40}) {
		t.Error("a program for Ethernet matches raw IP")
	}
	if err := f.Err(); err == nil || !strings.Contains(err.Error(), "fits one link type, and was used for EN10MB") {
		t.Errorf("Err = %v", err)
	}
}

func TestNumericProgramRefused(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"too few lines", "3\n6 0 0 1\n", "says \"3\" instructions and 1 follow"},
		{"too many lines", "1\n6 0 0 1\n6 0 0 0\n", "says \"1\" instructions and 2 follow"},
		{"three numbers", "1\n6 0 0\n", "line 2: \"6 0 0\" is not an instruction"},
		{"too large", "1\n6 256 0 0\n", "line 2: \"256\" is not a number of 8 bits"},
		{"jump out", "2\n21 9 0 1\n6 0 0 1\n", "filter program:"},
		{"no return", "1\n40 0 0 12\n", "filter program:"},
		{"ancillary data", "2\n32 0 0 4294963244\n6 0 0 1\n", "not implemented"},
	}
	for _, tt := range tests {
		_, err := Compile(tt.text)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

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

// filters returns a filter by each compiler that is here: libpcap, and tcpdump.
func filters(t *testing.T, expr string) []*Filter {
	if _, err := exec.LookPath("tcpdump"); err != nil {
		t.Skip("tcpdump is not installed")
	}
	here, err := Compile(expr)
	assert.NilError(t, err)
	return []*Filter{here, {expr: expr, compile: byTcpdump, programs: map[capture.LinkType]program{}}}
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
		{"tcp[13] = 0 and tcp[2:2] = 5001", 5001, true},
		{"tcp[2:2] >= 5001", 5000, false},
		{"(tcp[12] >> 4) * 4 > 20 or port 6", 7, false},
		{"len < 100", 1, true},
		{"len > ip[2:2] + 100", 1, false},
		{"not src port 1000", 1, false},
	}
	links := []capture.LinkType{
		capture.LinkEthernet, capture.LinkSLL, capture.LinkSLL2, capture.LinkNull,
		capture.LinkLoop, capture.LinkPPP, capture.LinkPPPHDLC, capture.LinkRaw, capture.LinkRawDLT, capture.LinkRawBSD,
		capture.LinkIPv4,
	}
	for _, tt := range tests {
		for i, f := range filters(t, tt.expr) {
			for range 2 { // back and forth between link types
				for _, link := range links {
					if got := f.Match(wrapped(link, tt.port)); got != tt.want {
						t.Errorf("compiler %d, %q, port %d, %v: %v, want %v", i, tt.expr, tt.port, link, got, tt.want)
					}
				}
			}
			assert.Check(t, f.Err(), "%q", tt.expr)
		}
	}
}

// The length is the one on the wire, however many bytes were captured.
func TestLengthOnTheWire(t *testing.T) {
	for i, f := range filters(t, "greater 1000 or len + 1 = 1000 - ip[0] + 0x45") {
		for wire, want := range map[int]bool{998: false, 999: true, 1000: true, 1500: true} {
			if got := f.Match(ethernet(5001, wire)); got != want {
				t.Errorf("compiler %d, %d bytes: %v, want %v", i, wire, got, want)
			}
		}
	}
}

func TestInvalidExpression(t *testing.T) {
	filters(t, "")
	for _, expr := range []string{"tcp port", "prot 80", "host ...", "(tcp", "ip and ip6", "-w/dev/null"} {
		if _, err := Compile(expr); err == nil || !strings.Contains(err.Error(), "filter \""+expr+"\"") {
			t.Errorf("%q: %v", expr, err)
		}
		_, err := byTcpdump(capture.LinkEthernet, expr)
		_, want := compile(capture.LinkEthernet, expr)
		assert.Error(t, err, want.Error())
	}
	t.Setenv("PATH", t.TempDir())
	_, err := byTcpdump(capture.LinkEthernet, "tcp")
	assert.ErrorIs(t, err, exec.ErrNotFound)
}

// An expression may use fields that a link type does not have.
func TestInvalidForOneLinkType(t *testing.T) {
	for _, f := range filters(t, "ether host 00:00:00:00:00:00") {
		for range 3 {
			assert.Check(t, f.Match(ethernet(1, 54)) && !f.Match(wrapped(capture.LinkRaw, 1)), "wrong match")
		}
		err := f.Err()
		if err == nil || strings.Count(err.Error(), "link type RAW") != 1 {
			t.Errorf("Err = %v, want the link type once", err)
		}
	}
}

func TestNoAllocationPerMatch(t *testing.T) {
	all := filters(t, "tcp port 5001")
	for _, expr := range []string{numericProgram, ""} {
		f, err := Compile(expr)
		assert.NilError(t, err)
		all = append(all, f)
	}
	for _, f := range all {
		raw := ethernet(5001, 54)
		if allocs := testing.AllocsPerRun(100, func() { f.Match(raw) }); allocs != 0 {
			t.Errorf("%q: %v allocations per packet", f.expr, allocs)
		}
	}
}

// TestNumericLength: a program may load the length on the wire into either register.
func TestNumericLength(t *testing.T) {
	for name, text := range map[string]string{
		"A": "4\n128 0 0 0\n53 0 1 1000\n6 0 0 1\n6 0 0 0\n",            // ld len, jge #1000
		"X": "5\n129 0 0 0\n135 0 0 0\n53 0 1 1000\n6 0 0 1\n6 0 0 0\n", // ldx len, txa, jge #1000
	} {
		f, err := Compile(text)
		assert.NilError(t, err)
		for _, wire := range []int{999, 1000, 1500, 60} {
			assert.Check(t, f.Match(ethernet(5001, wire)) == (wire >= 1000), "register %s, %d bytes", name, wire)
		}
	}
}

func TestEmptyExpression(t *testing.T) {
	f, err := Compile(" \n")
	assert.NilError(t, err)
	for _, link := range []capture.LinkType{0, 1, 276, 999} {
		if !f.Match(&capture.Raw{Link: link}) {
			t.Errorf("%v: the empty expression leaves a packet out", link)
		}
	}
}

// FuzzNumeric runs any program on any packet.
func FuzzNumeric(f *testing.F) {
	f.Add(numericProgram, ethernet(5001, 54).Data)
	f.Add("3\n128 0 0 0\n37 0 1 1000\n6 0 0 1\n", []byte{1})
	f.Add("1\n6 0 0 0\n", []byte{})
	f.Fuzz(func(t *testing.T, text string, data []byte) {
		p, err := parseNumeric(text)
		if err != nil {
			return
		}
		before := bytes.Clone(data)
		p.match(&capture.Raw{Data: data})
		if !bytes.Equal(before, data) {
			t.Error(fmt.Sprint("the program changed the packet: ", text))
		}
	})
}
