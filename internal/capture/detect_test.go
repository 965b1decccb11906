package capture

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

func TestNotACapture(t *testing.T) {
	modified, _ := classic(binary.LittleEndian, 0xa1b2cd34, 1, nil)
	capture, _ := classic(binary.LittleEndian, magicMicro, 1, nil)
	tests := []struct {
		name, content, packing, found string
	}{
		{"empty", "", "", "an empty file"},
		{"shorter than a magic", "\xd4\xc3\xb2", "", "data beginning d4 c3 b2"},
		{"text", "Hello, capture of packets!\n", "", `text beginning "Hello, capture o"`},
		{"binary", "\x00\x01\x02\x03\x04", "", "data beginning 00 01 02 03 04"},
		{"modified pcap", string(modified), "", "a modified pcap file (libpcap with Kuznetsov's patch)"},
		{"snoop", "snoop\x00\x00\x00\x00\x00\x00\x02", "", "a snoop capture"},
		{"zip", "PK\x03\x04....", "", "a zip archive"},
		{"bzip2", "BZh91AY&SY", "", "bzip2 data"},
		{"text in gzip", string(packers["gzip"](t, []byte("hello"))), "gzip", `text beginning "hello"`},
		{"nothing in zstd", "\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00", "zstd", "an empty file"},
		{"text in xz", string(packers["xz"](t, []byte("hello"))), "xz", `text beginning "hello"`},
		{"text in lz4", string(packers["lz4"](t, []byte("hello"))), "lz4", `text beginning "hello"`},
		{"two compressions", string(packers["gzip"](t, packers["zstd"](t, capture))), "gzip", "zstd data"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "session.pcap") // the name must not matter
			assert.NilError(t, os.WriteFile(path, []byte(tt.content), 0o600))
			_, err := Open([]string{path}, Options{})
			var not *NotCaptureError
			if !errors.As(err, &not) {
				t.Fatalf("Open = %v, want a NotCaptureError", err)
			}
			if not.File != path || not.Compression != tt.packing || not.Found != tt.found || not.Hint == "" {
				t.Errorf("got %+v, want file %q, compression %q, found %q", not, path, tt.packing, tt.found)
			}
			for _, part := range []string{path, "not a capture", tt.found, not.Hint} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("message %q lacks %q", err, part)
				}
			}
		})
	}
}

func TestOpenFails(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	assert.NilError(t, os.WriteFile(text, []byte("some text"), 0o600))
	tests := []struct {
		name  string
		paths []string
		want  []string // parts of the message
	}{
		{"no file", nil, []string{"no file is named"}},
		{"absent", []string{filepath.Join(dir, "absent")}, []string{"absent", "no such file"}},
		{"directory", []string{dir}, []string{dir, "this is a directory"}},
		{"stdin twice", []string{"-", "-"}, []string{"standard input is named twice"}},
		{"no stdin", []string{"-"}, []string{"no standard input"}},
		{"all are named", []string{text, text + "2", dir}, []string{"text2", "this is a directory"}},
		{"each content is named", []string{text, text}, []string{text + ": not a capture", "\n" + text + ": not a capture"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Open(tt.paths, Options{})
			if err == nil {
				t.Fatal("Open succeeded")
			}
			for _, part := range tt.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("message %q lacks %q", err, part)
				}
			}
		})
	}
}
