package capture

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
)

func TestCompressed(t *testing.T) {
	for format, l := range layouts() {
		plain, _ := readBytes(t, l.file)
		half := l.starts[2]
		for name, pack := range packers {
			variants := map[string][]byte{
				"whole": pack(t, l.file),
				// As "cat a.gz b.gz" makes them, and parallel compressors.
				"two streams": slices.Concat(pack(t, l.file[:half]), pack(t, l.file[half:])),
			}
			if name == "zstd" { // as pzstd writes it: a skippable frame of 4 bytes first
				variants["skippable frame"] = slices.Concat([]byte("\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"), variants["whole"])
			}
			for variant, packed := range variants {
				packets, s := readBytes(t, packed)
				if diff := cmp.Diff(plain, packets); diff != "" || s.Damage() != nil {
					t.Errorf("%s, %s, %s: damage %v, packets (-want +got):\n%s", format, name, variant, s.Damage(), diff)
				}
				if got := s.Files()[0].Compression; got != name {
					t.Errorf("compression %q, want %q", got, name)
				}
			}
		}
	}
}

// All packets of a stream with a wrong checksum are read, and the damage is reported.
func TestCompressedChecksum(t *testing.T) {
	l := classicLayout(binary.LittleEndian, someSamples(5))
	packed := packers["gzip"](t, l.file)
	packed[len(packed)-8] ^= 1 // CRC32 (RFC 1952, Section 2.3.1)
	packets, s := readBytes(t, packed)
	wantDamage(t, s, len(packets), 5, len(l.file), "gzip data is corrupt")
	place := fmt.Sprintf("-: packet 6, byte offset %d of the uncompressed data: ", len(l.file))
	if msg := s.Damage()[0].Error(); !strings.HasPrefix(msg, place) {
		t.Errorf("message %q does not begin with %q", msg, place)
	}
}

func TestXZDictionary(t *testing.T) {
	packed := packers["xz"](t, []byte("some content"))
	for i, c := range packed[12:24] { // the dictionary's size follows filter 0x21 and length 1
		if c == 0x21 && packed[12+i+1] == 1 {
			packed[12+i+2] = 40 // 4 GiB - 1
		}
	}
	_, s := readBytes(t, packed)
	wantDamage(t, s, 0, 0, 0, "cannot be unpacked")
	if msg := s.Damage()[0].Error(); !strings.Contains(msg, "dictionary of 4294967295 bytes") {
		t.Errorf("message %q lacks the size of the dictionary", msg)
	}
}

// A zstd frame may ask for a window of terabytes.
func TestZstdWindow(t *testing.T) {
	frame := []byte("\x28\xb5\x2f\xfd\x00\xf8") // window descriptor: exponent 31, 2^41 bytes
	frame = append(frame, 0x21, 0x00, 0x00, 0, 0, 0, 0)
	_, s := readBytes(t, frame)
	wantDamage(t, s, 0, 0, 0, "its window is larger than 134217728 bytes")
	if msg := s.Damage()[0].Error(); !strings.Contains(msg, "zstd -d --long=31") {
		t.Errorf("message %q does not say what to do", msg)
	}
}

// A decoder that is used again delivers nothing of the previous file, also if that was damaged or
// not read to its end. A second release has no effect.
func TestZstdAgain(t *testing.T) {
	pack := func(b []byte) []byte { return packers["zstd"](t, b) }
	long, short := bytes.Repeat([]byte("long "), 100_000), []byte("short")
	damaged := pack(long)
	damaged[len(damaged)/2] ^= 0xff
	for _, first := range [][]byte{pack(long), damaged, pack(long)[:20]} {
		content, done, err := unpack("zstd", bufio.NewReader(bytes.NewReader(first)))
		assert.NilError(t, err)
		if _, err := io.ReadFull(content, make([]byte, 100)); err != nil && bytes.Equal(first, pack(long)) {
			t.Fatal(err)
		}
		done()
		done()
		var both [2]io.Reader
		for i := range both {
			var release func()
			if both[i], release, err = unpack("zstd", bufio.NewReader(bytes.NewReader(pack(short)))); err != nil {
				t.Fatal(err)
			}
			defer release()
		}
		for _, r := range both {
			if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, short) {
				t.Errorf("%q, %v", got, err)
			}
		}
	}
}
