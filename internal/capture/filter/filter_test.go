package filter

import (
	"bytes"
	"encoding/binary"
	"fmt"
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
		{"length", "3\n128 0 0 0\n37 0 1 1000\n6 0 0 1\n", "line 2: the program uses the length"},
		{"length in X", "2\n129 0 0 0\n6 0 0 1\n", "line 2: the program uses the length"},
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
