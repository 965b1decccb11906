package differential

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/gopacket/gopacket/pcapgo"
)

// TestCongestionMarks compares the graphs of a capture into which marks of
// congestion were written, as no session here had any.
func TestCongestionMarks(t *testing.T) {
	need(t, "tcptrace")
	plain := uncooked(t, unpacked(t, filepath.Join(bundled, "v1/l-single-loss/client.pcap.zst")), false)
	path := filepath.Join(t.TempDir(), "marked.pcap")
	text := marked(t, plain)
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	sameGraphs(t, path, bytes.NewReader(text))
}

// marked returns a capture of Ethernet and IPv4 without options with marks in
// some packets: CE in the IP header, CWR and ECE in that of TCP (RFC 3168,
// Sections 5 and 6.1).
func marked(t *testing.T, capture io.Reader) []byte {
	t.Helper()
	in, err := pcapgo.NewReader(capture)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	out := pcapgo.NewWriterNanos(&b)
	if err := out.WriteFileHeader(in.Snaplen(), in.LinkType()); err != nil {
		t.Fatal(err)
	}
	const ip, tcp = ethernetHeaderLen, ethernetHeaderLen + 20
	for n := 0; ; n++ {
		data, info, err := in.ReadPacketData()
		if err == io.EOF {
			return b.Bytes()
		}
		if err != nil {
			t.Fatal(err)
		}
		if n%5 == 0 {
			data[ip+1] |= 3
		}
		if n%7 == 0 {
			data[tcp+13] |= 0x80
		}
		if n%11 == 0 {
			data[tcp+13] |= 0x40
		}
		if err := out.WritePacket(info, data); err != nil {
			t.Fatal(err)
		}
	}
}
