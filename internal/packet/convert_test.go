package packet

import (
	"encoding/hex"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// TestParseConvert: the bytes are written out by hand from the figures of RFC 8803, Section 4.
func TestParseConvert(t *testing.T) {
	const connect = "0a05 1f90 00000000 00000000 0000ffff c000024d "
	for _, c := range []struct {
		name, bytes string
		length      int // 0: no message
		peer        string
		failure     string
		texts       string
	}{
		{"Connect, IPv4", "01 06 2263 " + connect, 24, "192.0.2.77:8080", "", "Connect 192.0.2.77:8080"},
		{"Connect, IPv6 and an option", "01 07 2263 0a06 0050 20010db8 00000000 00000000 00000001 01030307", 28, "[2001:db8::1]:80", "", "Connect [2001:db8::1]:80"},
		{"data behind it", "01 06 2263 " + connect + "47455420 2f", 24, "192.0.2.77:8080", "", "Connect 192.0.2.77:8080"},
		{"Info and Cookie", "01 04 2263 0101 0000 1602 0000 deadbeef", 16, "", "", "Info 0000, Cookie 0000deadbeef"},
		{"Extended TCP Header", "01 03 2263 1402 0000 01030307", 12, "", "", "Extended TCP Header 000001030307"},
		{"error of the RFC", "01 02 2263 1e01 60 00", 8, "", "connection reset", "Error connection reset"},
		{"unknown error", "01 02 2263 1e01 07 00", 8, "", "error 7", "Error error 7"},
		{"unknown type", "01 02 2263 2801 0102", 8, "", "", "TLV 40 0102"},
		{"no TLV", "01 01 2263", 4, "", "", ""},
		{"cut in the address", "01 06 2263 0a05 1f90 00000000", 24, "", "", "Connect 1f9000000000"},
		{"cut between TLVs", "01 04 2263 0101 0000", 16, "", "", "Info 0000"},
		{"another version", "02 06 2263 " + connect, 0, "", "", ""},
		{"another number", "01 06 2264 " + connect, 0, "", "", ""},
		{"length 0", "01 00 2263", 0, "", "", ""},
		{"a TLV of length 0", "01 03 2263 0a00 0000 0a01 0000", 0, "", "", ""},
		{"a TLV beyond the message", "01 02 2263 0a05 1f90 00000000 00000000 0000ffff c000024d", 0, "", "", ""},
		{"data of an application", "01 16 2263 48656c6c6f", 0, "", "", ""},
		{"nothing", "", 0, "", "", ""},
	} {
		b, err := hex.DecodeString(strings.ReplaceAll(c.bytes, " ", ""))
		assert.NilError(t, err)
		m, ok := ParseConvert(b)
		if assert.Check(t, ok == (c.length > 0), c.name); !ok {
			continue
		}
		var texts []string
		for i := range m.TLVs {
			texts = append(texts, m.TLVs[i].Name()+" "+m.TLVs[i].Text())
		}
		peer, named := m.Peer()
		assert.Check(t, int(m.Len) == c.length && named == (c.peer != "") && (!named || peer.String() == c.peer) && m.Failure() == c.failure && strings.Join(texts, ", ") == c.texts,
			"%s: %d bytes, %v, %q, %q", c.name, m.Len, peer, m.Failure(), texts)
	}
}

// FuzzParseConvert: a message is never longer than it says, and its TLVs lie in the payload.
func FuzzParseConvert(f *testing.F) {
	f.Add([]byte("\x01\x06\x22\x63\x0a\x05\x1f\x90\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xc0\x00\x02\x4d"))
	f.Add([]byte("\x01\x02\x22\x63\x1e\x01\x60\x00rest"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, ok := ParseConvert(b)
		n := 4
		for i := range m.TLVs {
			n += 2 + len(m.TLVs[i].Value)
			_ = m.TLVs[i].Text()
		}
		if ok && (n > int(m.Len) || len(m.TLVs) > 0 && n > len(b)) {
			t.Fatalf("TLVs of %d bytes in a message of %d, payload of %d", n, m.Len, len(b))
		}
	})
}
