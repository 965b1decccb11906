package capture

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
)

// Bounds of the memory that a decompressor allocates. The strongest preset of the usual program
// needs this much (zstd --ultra -22 or --long, xz -9). A file that needs more is refused. For an
// xz file only the first block can be checked, but compressors use the same size for every block.
const (
	maxZstdWindow   = 128 << 20
	maxXZDictionary = 64 << 20
)

// packings are the compressions that are recognised. zstd and lz4 share skippable
// frames (0x184D2A50 to 0x184D2A5F); only zstd tools begin a file with one.
var packings = []struct{ name, magic string }{
	{"gzip", "\x1f\x8b"},
	{"zstd", "\x28\xb5\x2f\xfd"},
	{"xz", "\xfd7zXZ\x00"},
	{"lz4", "\x04\x22\x4d\x18"},
	{"lz4", "\x02\x21\x4c\x18"}, // the older frame format, which kernels use
}

// sniffPacking returns the compression of a file that begins with head, "" for none.
func sniffPacking(head []byte) string {
	for _, p := range packings {
		if bytes.HasPrefix(head, []byte(p.magic)) {
			return p.name
		}
	}
	if len(head) >= 4 && head[0]&0xf0 == 0x50 && head[1] == 0x2a && head[2] == 0x4d && head[3] == 0x18 {
		return "zstd"
	}
	return ""
}

// unpack returns the uncompressed content of r, and a function that the caller must call when it
// has read the content.
func unpack(packing string, r *bufio.Reader) (content io.Reader, done func(), err error) {
	done = func() {}
	switch packing {
	case "":
		return r, done, nil
	case "gzip":
		content, err = gzip.NewReader(r)
	case "zstd":
		var d *zstd.Decoder
		if d, err = newZstd(r); err == nil {
			content, done = d, sync.OnceFunc(func() { releaseZstd(d) })
		}
	case "xz":
		if size := xzDictionary(r); size > maxXZDictionary {
			return nil, done, fmt.Errorf("the dictionary of %d bytes is larger than %d", size, maxXZDictionary)
		}
		content, err = newXZStream(r)
	case "lz4":
		content = &lz4Frames{r: r, z: lz4.NewReader(r)}
	}
	return content, done, err
}

// zstds holds unused decoders. The window of a decoder takes megabytes, so files that are read
// one after the other share it.
var zstds sync.Pool

// newZstd returns a decoder of r.
func newZstd(r io.Reader) (*zstd.Decoder, error) {
	if d, ok := zstds.Get().(*zstd.Decoder); ok {
		return d, d.Reset(r)
	}
	// A single goroutine takes the least CPU time, and a campaign reads several files at
	// once.
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxZstdWindow))
}

// releaseZstd puts a decoder into the pool. Reset removes its input; without an input, Reset
// does not fail.
func releaseZstd(d *zstd.Decoder) {
	if d.Reset(nil) == nil {
		zstds.Put(d)
	}
}

// lz4Frames reads the frames in r as one stream, as the lz4 program does.
type lz4Frames struct {
	r *bufio.Reader
	z *lz4.Reader
}

// Read implements [io.Reader].
func (f *lz4Frames) Read(p []byte) (int, error) {
	for {
		n, err := f.z.Read(p)
		if n > 0 && err == io.EOF {
			return n, nil // the next call returns the error again
		}
		if n > 0 || err != io.EOF {
			return n, err
		}
		if _, err := f.r.Peek(1); errors.Is(err, io.EOF) {
			return 0, io.EOF
		}
		f.z.Reset(f.r)
	}
}

// xzStream reads an xz file. The decoder accepts an input that ends between two blocks, so
// xzStream checks that the input ends with a stream footer.
type xzStream struct {
	r    *bufio.Reader
	z    *xz.Reader
	last [2]byte // the last two bytes of the input without stream padding, which is zero
}

func newXZStream(r *bufio.Reader) (*xzStream, error) {
	s := &xzStream{r: r}
	var err error
	s.z, err = xz.NewReader(xzInput{s})
	return s, err
}

// Read implements [io.Reader].
func (s *xzStream) Read(p []byte) (int, error) {
	n, err := s.z.Read(p)
	if err == io.EOF && s.last != [2]byte{'Y', 'Z'} { // The .xz File Format, Section 2.1.2.4
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// xzInput is the input of the decoder of an xzStream.
type xzInput struct{ s *xzStream }

// Read implements [io.Reader].
func (i xzInput) Read(p []byte) (int, error) {
	n, err := i.s.r.Read(p)
	for _, c := range p[:n] {
		if c != 0 {
			i.s.last = [2]byte{i.s.last[1], c}
		}
	}
	return n, err
}

// xzDictionary returns the dictionary size in the first block of an xz stream, 0 if
// there is no first block. The decoder allocates it before it reads the data (The .xz
// File Format, Section 3.1).
func xzDictionary(r *bufio.Reader) int64 {
	const streamHeader, lzma2, propsLen = 12, 0x21, 1
	head, _ := r.Peek(streamHeader + 1024)
	if len(head) < streamHeader+2 {
		return 0
	}
	flags := head[streamHeader+1]
	fields := head[streamHeader+2:]
	for _, present := range []byte{0x40, 0x80} { // the sizes of the block, packed and unpacked
		if flags&present != 0 {
			fields = skipVarint(fields)
		}
	}
	if len(fields) < 3 || fields[0] != lzma2 || fields[1] != propsLen {
		return 0
	}
	bits := fields[2] & 0x3f
	if bits >= 40 {
		return 1<<32 - 1
	}
	return int64(2|bits&1) << (bits/2 + 11)
}

// skipVarint returns the bytes behind the variable-length integer at the start of b.
func skipVarint(b []byte) []byte {
	for i, c := range b {
		if c < 0x80 {
			return b[i+1:]
		}
	}
	return nil
}

// Uncompressed returns the content of r, which is compressed or not, and a function that the
// caller must call when it has read the content.
func Uncompressed(r *bufio.Reader) (content io.Reader, done func(), err error) {
	head, _ := r.Peek(6)
	return unpack(sniffPacking(head), r)
}
