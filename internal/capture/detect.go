package capture

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// format is a file format. It is found by the first bytes of a file, never by its name.
type format struct {
	magic, name string // the name as [FileInfo] gives it
	unit        int64  // of the fraction of a second in a classic pcap file, ns; 0 for pcapng
	bigEndian   bool   // a classic pcap file is
}

var formats = [...]format{
	{"\xd4\xc3\xb2\xa1", "pcap", 1000, false},
	{"\xa1\xb2\xc3\xd4", "pcap", 1000, true},
	{"\x4d\x3c\xb2\xa1", "pcap-ns", 1, false},
	{"\xa1\xb2\x3c\x4d", "pcap-ns", 1, true},
	{"\x0a\x0d\x0d\x0a", "pcapng", 0, false},
}

// sniff returns the format of a file that begins with head; nil if it is no capture.
func sniff(head []byte) *format {
	for i := range formats {
		if bytes.HasPrefix(head, []byte(formats[i].magic)) {
			return &formats[i]
		}
	}
	return nil
}

const (
	hintExpected = "give a pcap or pcapng file, plain or compressed with gzip, zstd, xz or lz4"
	hintConvert  = "convert it to pcapng with editcap"
	hintUnpack   = "unpack it first"
	hintPage     = "the download failed: get the capture itself, not the page about it"
	hintReport   = "give the capture that it was made from; compare and plot take reports, from files whose names end in .json"
	hintPointer  = "the capture itself is not here: git lfs pull gets it"
)

// describedBytes is how many bytes of a file that is no capture are read to describe it.
const describedBytes = 64

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

// describe describes a file that begins with head and is no capture.
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
	if isText(head) {
		return describeText(string(head))
	}
	return fmt.Sprintf("data beginning % x", start(head)), hintExpected
}

// start returns the beginning of a file that a message shows.
func start(head []byte) []byte { return head[:min(len(head), 16)] }

// describeText describes a text that begins with head.
func describeText(head string) (found, hint string) {
	text := strings.ToLower(strings.TrimLeft(strings.TrimPrefix(head, "\ufeff"), " \t\r\n"))
	switch {
	case strings.HasPrefix(text, "<!doctype html"), strings.HasPrefix(text, "<html"):
		return "an HTML page", hintPage
	case strings.HasPrefix(text, "version https://git-lfs"):
		return "a pointer of Git LFS", hintPointer
	case strings.HasPrefix(text, "{") && strings.Contains(text, `"mpanalyze/`):
		return "a report of mpanalyze", hintReport
	case strings.HasPrefix(text, "{"), strings.HasPrefix(text, "["):
		return "JSON", hintExpected
	case text == "":
		return "nothing but white space", hintExpected
	}
	return "text beginning " + strconv.Quote(string(start([]byte(head)))), hintExpected
}

// isText reports whether b is printable text and white space in UTF-8. The last character may be
// cut off.
func isText(b []byte) bool {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			return !utf8.FullRune(b)
		}
		if r != '\ufeff' && !unicode.IsPrint(r) && !unicode.IsSpace(r) {
			return false
		}
		b = b[n:]
	}
	return true
}

// IsCapture reports whether a file that begins with head, uncompressed, is a capture.
func IsCapture(head []byte) bool { return sniff(head) != nil }
