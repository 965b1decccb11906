package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
	"gotest.tools/v3/assert"
)

// sample is a packet of a capture that a test builds.
type sample struct {
	sec, frac uint32 // seconds, and micro- or nanoseconds
	wire      uint32
	data      []byte
}

// payload is n bytes that distinguish packet i from others.
func payload(i, n int) []byte {
	b := make([]byte, n)
	for j := range b {
		b[j] = byte(i + j)
	}
	return b
}

// someSamples are packets of different lengths, one of them empty and some cut
// by a snap length.
func someSamples(n int) []sample {
	all := make([]sample, n)
	for i := range all {
		data := payload(i, (i*37)%90)
		all[i] = sample{sec: 1_700_000_000 + uint32(i), frac: uint32(i) * 1001, wire: uint32(len(data) + i%3*1400), data: data}
	}
	return all
}

// classic builds a pcap file, and returns where each record begins and where the file ends.
func classic(order binary.AppendByteOrder, magic uint32, link uint32, samples []sample) (file []byte, starts []int) {
	file = order.AppendUint32(nil, magic)
	file = order.AppendUint16(file, 2)
	file = order.AppendUint16(file, 4)
	for _, v := range []uint32{0, 0, 96, link} {
		file = order.AppendUint32(file, v)
	}
	for _, s := range samples {
		starts = append(starts, len(file))
		for _, v := range []uint32{s.sec, s.frac, uint32(len(s.data)), s.wire} {
			file = order.AppendUint32(file, v)
		}
		file = append(file, s.data...)
	}
	return file, append(starts, len(file))
}

const (
	magicMicro = 0xa1b2c3d4
	magicNano  = 0xa1b23c4d
)

// ng builds a pcapng file block by block.
type ng struct {
	order  binary.AppendByteOrder
	file   []byte
	starts []int  // where each block begins
	packet []bool // whether it holds a packet
}

// u32s is the bytes of words in the byte order of the file.
func (n *ng) u32s(words ...uint32) (b []byte) {
	for _, w := range words {
		b = n.order.AppendUint32(b, w)
	}
	return b
}

func (n *ng) block(kind uint32, body []byte) *ng {
	for len(body)%4 != 0 {
		body = append(body, 0)
	}
	n.starts = append(n.starts, len(n.file))
	n.packet = append(n.packet, kind == blockEnhanced || kind == blockPacket || kind == blockSimple)
	size := uint32(len(body) + 12)
	n.file = append(n.file, n.u32s(kind, size)...)
	n.file = append(n.file, body...)
	n.file = append(n.file, n.u32s(size)...)
	return n
}

// section begins a section, in which all is in the byte order given.
func (n *ng) section(order binary.AppendByteOrder) *ng {
	n.order = order
	body := n.u32s(0x1a2b3c4d)
	body = order.AppendUint16(body, 1)
	body = order.AppendUint16(body, 0)
	return n.block(blockSection, append(body, n.u32s(0xffffffff, 0xffffffff)...))
}

func (n *ng) option(code uint16, value ...byte) []byte {
	b := n.order.AppendUint16(nil, code)
	b = n.order.AppendUint16(b, uint16(len(value)))
	b = append(b, value...)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

func (n *ng) iface(link uint16, snapLen uint32, options ...[]byte) *ng {
	body := n.order.AppendUint16(nil, link)
	body = n.order.AppendUint16(body, 0)
	body = append(body, n.u32s(snapLen)...)
	return n.block(blockInterface, append(body, bytes.Join(options, nil)...))
}

func (n *ng) enhanced(iface uint32, timestamp uint64, wire uint32, data []byte, options ...[]byte) *ng {
	body := n.u32s(iface, uint32(timestamp>>32), uint32(timestamp), uint32(len(data)), wire)
	body = append(body, data...)
	for len(body)%4 != 0 {
		body = append(body, 0)
	}
	return n.block(blockEnhanced, append(body, bytes.Join(options, nil)...))
}

// got is a packet as it was read, with its data copied.
type got struct {
	Raw
	Data string
}

// readAll reads the source to its end.
func readAll(t testing.TB, s *Source) (all []got) {
	t.Helper()
	for {
		var raw Raw
		err := s.Next(&raw)
		if err == io.EOF {
			return all
		}
		assert.NilError(t, err, "Next after %d packets", len(all))
		g := got{Raw: raw, Data: string(raw.Data)}
		g.Raw.Data = nil
		all = append(all, g)
	}
}

// openBytes opens file as standard input.
func openBytes(file []byte) (*Source, error) {
	return Open([]string{"-"}, Options{Stdin: bytes.NewReader(file)})
}

// readBytes reads a capture that must be one.
func readBytes(t testing.TB, file []byte) ([]got, *Source) {
	t.Helper()
	s, err := openBytes(file)
	assert.NilError(t, err, "Open")
	defer s.Close()
	return readAll(t, s), s
}

// packers compress as the usual programs do.
var packers = map[string]func(t testing.TB, plain []byte) []byte{
	"gzip": func(t testing.TB, plain []byte) []byte {
		var b bytes.Buffer
		return finishPacking(t, &b, gzip.NewWriter(&b), plain)
	},
	"zstd": func(t testing.TB, plain []byte) []byte {
		var b bytes.Buffer
		w, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
		assert.NilError(t, err)
		return finishPacking(t, &b, w, plain)
	},
	"xz": func(t testing.TB, plain []byte) []byte {
		var b bytes.Buffer
		w, err := xz.NewWriter(&b)
		assert.NilError(t, err)
		return finishPacking(t, &b, w, plain)
	},
	"lz4": func(t testing.TB, plain []byte) []byte {
		var b bytes.Buffer
		w := lz4.NewWriter(&b)
		assert.NilError(t, w.Apply(lz4.BlockSizeOption(lz4.Block64Kb)))
		return finishPacking(t, &b, w, plain)
	},
}

func finishPacking(t testing.TB, b *bytes.Buffer, w io.WriteCloser, plain []byte) []byte {
	t.Helper()
	_, err := w.Write(plain)
	assert.NilError(t, errors.Join(err, w.Close()))
	return b.Bytes()
}
