package differential

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/gopacket/gopacket/pcapgo"
	"gotest.tools/v3/assert"
)

// TestCongestionMarks compares the graphs of a capture into which marks of
// congestion were written, as no session here had any.
func TestCongestionMarks(t *testing.T) {
	need(t, "tcptrace")
	plain := uncooked(t, unpacked(t, filepath.Join(bundled, "v1/l-single-loss/client.pcap.zst")), false)
	path := filepath.Join(t.TempDir(), "marked.pcap")
	text := marked(t, plain)
	assert.NilError(t, os.WriteFile(path, text, 0o666))
	sameGraphs(t, path, bytes.NewReader(text))
}

// marked returns a capture of Ethernet and IPv4 without options with marks in
// some packets: CE in the IP header, CWR and ECE in that of TCP (RFC 3168,
// Sections 5 and 6.1).
func marked(t *testing.T, capture io.Reader) []byte {
	t.Helper()
	in, err := pcapgo.NewReader(capture)
	assert.NilError(t, err)
	var b bytes.Buffer
	out := pcapgo.NewWriterNanos(&b)
	assert.NilError(t, out.WriteFileHeader(in.Snaplen(), in.LinkType()))
	const ip, tcp = ethernetHeaderLen, ethernetHeaderLen + 20
	for n := 0; ; n++ {
		data, info, err := in.ReadPacketData()
		if err == io.EOF {
			return b.Bytes()
		}
		assert.NilError(t, err)
		if n%5 == 0 {
			data[ip+1] |= 3
		}
		if n%7 == 0 {
			data[tcp+13] |= 0x80
		}
		if n%11 == 0 {
			data[tcp+13] |= 0x40
		}
		assert.NilError(t, out.WritePacket(info, data))
	}
}
