package capture

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode"
)

// kind is a file format. The first bytes tell it, never the name.
type kind uint8

const (
	kindUnknown  kind = iota
	kindPcap          // classic pcap, microseconds
	kindPcapNano      // classic pcap, nanoseconds
	kindPcapNG
)

// String returns the name of the format as [FileInfo] gives it.
func (k kind) String() string {
	switch k {
	case kindPcap:
		return "pcap"
	case kindPcapNano:
		return "pcap-ns"
	case kindPcapNG:
		return "pcapng"
	}
	return ""
}

// sniff returns the format of a file that begins with head, and whether a classic pcap
// file is big-endian.
func sniff(head []byte) (k kind, bigEndian bool) {
	if len(head) < 4 {
		return kindUnknown, false
	}
	switch [4]byte(head) {
	case [4]byte{0xa1, 0xb2, 0xc3, 0xd4}:
		return kindPcap, true
	case [4]byte{0xd4, 0xc3, 0xb2, 0xa1}:
		return kindPcap, false
	case [4]byte{0xa1, 0xb2, 0x3c, 0x4d}:
		return kindPcapNano, true
	case [4]byte{0x4d, 0x3c, 0xb2, 0xa1}:
		return kindPcapNano, false
	case [4]byte{0x0a, 0x0d, 0x0d, 0x0a}:
		return kindPcapNG, false
	}
	return kindUnknown, false
}

const (
	hintExpected = "give a pcap or pcapng file, plain or compressed with gzip, zstd, xz or lz4"
	hintConvert  = "convert it to pcapng with editcap"
	hintUnpack   = "unpack it first"
)

// otherFormats are formats that users take for captures, and captures that this package
// cannot read. Their names help more than a hexadecimal dump.
var otherFormats = []struct{ magic, found, hint string }{
	{"\xa1\xb2\xcd\x34", "a modified pcap file (libpcap with Kuznetsov's patch)", hintConvert},
	{"\x34\xcd\xb2\xa1", "a modified pcap file (libpcap with Kuznetsov's patch)", hintConvert},
	{"snoop\x00\x00\x00", "a snoop capture", hintConvert},
	{"btsnoop\x00", "a Bluetooth snoop capture", hintExpected},
	{"XCP\x00", "a NetXRay capture", hintConvert},
	{"BZh", "bzip2 data", hintUnpack},
	{"\x1f\x9d", "compress (.Z) data", hintUnpack},
	{"PK\x03\x04", "a zip archive", hintUnpack},
	{"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", hintUnpack},
	{"\x7fELF", "an executable file", hintExpected},
	{"%PDF", "a PDF document", hintExpected},
}

// describe says what a file that begins with head is, if not a capture.
func describe(head []byte) (found, hint string) {
	if len(head) == 0 {
		return "an empty file", hintExpected
	}
	for _, s := range otherFormats {
		if bytes.HasPrefix(head, []byte(s.magic)) {
			return s.found, s.hint
		}
	}
	if packing := sniffPacking(head); packing != "" {
		return packing + " data", "unpack the outer compression first"
	}
	head = head[:min(len(head), 16)]
	if isText(head) {
		return "text beginning " + strconv.Quote(string(head)), hintExpected
	}
	return fmt.Sprintf("data beginning % x", head), hintExpected
}

// isText reports whether b is printable ASCII and white space.
func isText(b []byte) bool {
	for _, c := range b {
		if c > unicode.MaxASCII || !unicode.IsPrint(rune(c)) && !unicode.IsSpace(rune(c)) {
			return false
		}
	}
	return true
}
