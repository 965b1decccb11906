package capture

import (
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
)

// Block types of pcapng (draft-ietf-opsawg-pcapng, Section 4) that are read;
// every other type is skipped.
const (
	blockSection   = 0x0a0d0d0a
	blockInterface = 1
	blockPacket    = 2 // obsolete
	blockSimple    = 3
	blockEnhanced  = 6
)

const (
	blockHeaderLen = 8  // type and length
	minBlockLen    = 12 // header and the length again
)

// maxInterfaces bounds the interfaces of one section, and so the memory that
// descriptions without packets can take.
const maxInterfaces = 1 << 16

// ngReader reads a pcapng file from its window, without a copy.
//
// pcapgo's reader is not used for four reasons. It trusts the lengths of blocks and
// options, so that damage goes unnoticed and its position is lost. It keeps every name
// record of the file. It allocates for each packet with options. And it rounds time
// units that are powers of two: in units of 2^-29 s it reads 0.75 s as 0.40 s.
type ngReader struct {
	in          *window
	compression string
	reg         newIface
	offset      int64 // of the current block
	delivered   int   // length of the block of the packet that was delivered last; it is still in the buffer
	bigEndian   bool
	section     int           // number of this section, from 1
	ifaces      []ngInterface // of this section; at most maxInterfaces
	from        int           // index in ifaces of the packet that was read last
	packets     uint64        // number read so far
	lastTime    int64         // of the packet before; where that is not countable, of the one before it
	comments    bool          // whether [Raw.Comments] is wanted
}

// stamp notes the time of a packet of an interface.
func (n *ngReader) stamp(raw *Raw, iface *ngInterface, timestamp uint64) {
	t, ok := iface.at(timestamp)
	if raw.Uncountable = !ok; ok {
		n.lastTime = t
	}
}

// u16 and u32 read in the byte order of the section. A branch costs less than
// a call through binary.ByteOrder.
func (n *ngReader) u16(b []byte) uint16 {
	if n.bigEndian {
		return binary.BigEndian.Uint16(b)
	}
	return binary.LittleEndian.Uint16(b)
}

func (n *ngReader) u32(b []byte) uint32 {
	if n.bigEndian {
		return binary.BigEndian.Uint32(b)
	}
	return binary.LittleEndian.Uint32(b)
}

// next reads up to the next packet. It returns [io.EOF] at the end of the file.
func (n *ngReader) next(raw *Raw) error {
	n.in.at += n.delivered
	n.offset += int64(n.delivered)
	n.delivered = 0
	if n.fastPacket(raw) {
		return nil
	}
	for {
		kind, size, err := n.header()
		if err != nil {
			return err
		}
		switch kind {
		case blockEnhanced, blockPacket, blockSimple:
			return n.packet(kind, size, raw)
		case blockSection, blockInterface:
			err = n.describe(kind, size)
		default:
			err = n.skip(size)
		}
		if err != nil {
			return err
		}
	}
}

// header reads the start of the next block, and leaves it in the buffer.
func (n *ngReader) header() (kind, size uint32, err error) {
	head, err := n.in.peek(minBlockLen)
	if err != nil {
		return 0, 0, n.short("block header", len(head), minBlockLen, err)
	}
	if kind = n.u32(head); kind == blockSection {
		switch magic := binary.BigEndian.Uint32(head[blockHeaderLen:]); magic {
		case 0x1a2b3c4d:
			n.bigEndian = true
		case 0x4d3c2b1a:
			n.bigEndian = false
		default:
			return 0, 0, damaged(n.offset+blockHeaderLen, "0x%08x is no byte-order magic of a section", magic)
		}
	}
	if size = n.u32(head[4:]); size < minBlockLen || size%4 != 0 {
		return 0, 0, damaged(n.offset+4, "a block of type %d claims an impossible length of %d bytes", kind, size)
	}
	return kind, size, nil
}

// block returns the whole block of size bytes; least is the smallest legal size.
func (n *ngReader) block(kind, size, least uint32) ([]byte, error) {
	if size < least || size > bufferSize {
		return nil, damaged(n.offset+4, "a block of type %d claims %d bytes, %d to %d are possible", kind, size, least, bufferSize)
	}
	b, err := n.in.peek(int(size))
	if err != nil {
		return nil, n.short("block", len(b), int(size), err)
	}
	return b, n.closing(size, b[size-4:])
}

// closing checks the second length, at the end of a block.
func (n *ngReader) closing(size uint32, b []byte) error {
	if again := n.u32(b); again != size {
		return damaged(n.offset, "a block says %d bytes at its start and %d at its end", size, again)
	}
	return nil
}

// describe reads a section header or an interface description.
func (n *ngReader) describe(kind, size uint32) error {
	least := uint32(20)
	if kind == blockSection {
		least = 28
	}
	b, err := n.block(kind, size, least)
	if err != nil {
		return err
	}
	if kind == blockSection {
		if major, minor := n.u16(b[12:]), n.u16(b[14:]); major != 1 {
			return damaged(n.offset+12, "the section says pcapng version %d.%d, only 1.x is known", major, minor)
		}
		n.section++
		n.ifaces = n.ifaces[:0] // they are numbered anew in each section
	} else if err := n.addInterface(b); err != nil {
		return err
	}
	return n.discard(int(size))
}

// fastPacket reads the current block if it is an undamaged enhanced packet block and all of it
// is in the window. Nearly every block is of this kind, and this function takes a third of the
// time of the functions below. They read all other blocks, and say what is wrong with them.
func (n *ngReader) fastPacket(raw *Raw) bool {
	const head, least = 28, 32
	b := n.in.rest()
	if len(b) < least {
		return false
	}
	h := (*[head]byte)(b)
	order := binary.LittleEndian
	kind, size, id := order.Uint32(h[0:]), order.Uint32(h[4:]), order.Uint32(h[8:])
	high, low := order.Uint32(h[12:]), order.Uint32(h[16:])
	captured, wire := order.Uint32(h[20:]), order.Uint32(h[24:])
	if n.bigEndian {
		kind, size, id = bits.ReverseBytes32(kind), bits.ReverseBytes32(size), bits.ReverseBytes32(id)
		high, low = bits.ReverseBytes32(high), bits.ReverseBytes32(low)
		captured, wire = bits.ReverseBytes32(captured), bits.ReverseBytes32(wire)
	}
	if kind != blockEnhanced || size < least || size%4 != 0 || size > min(bufferSize, uint32(len(b))) ||
		captured > size-least || id >= uint32(len(n.ifaces)) || order.Uint32(b[size-4:]) != order.Uint32(h[4:]) {
		return false
	}
	iface := &n.ifaces[id]
	n.stamp(raw, iface, uint64(high)<<32|uint64(low))
	n.packets++
	n.from = int(id)
	raw.FileNum = n.packets
	raw.Offset, raw.Time, raw.WireLen = n.offset, n.lastTime, int(max(wire, captured))
	raw.Iface, raw.Link, raw.Data, raw.Longer = iface.id, iface.link, b[head:head+captured], captured > wire
	if n.comments {
		raw.Comments = n.commentsIn(b[head:size-4], captured)
	}
	n.delivered = int(size)
	return true
}

// packet reads a packet block. It stays in the buffer until the next call of next
// because raw.Data points into it.
func (n *ngReader) packet(kind, size uint32, raw *Raw) error {
	head := uint32(28) // bytes before the data
	if kind == blockSimple {
		head = 12
	}
	b, err := n.block(kind, size, head+4)
	if err != nil {
		return err
	}
	room := size - head - 4
	var id, captured, wire uint32
	switch kind {
	case blockEnhanced:
		id, captured, wire = n.u32(b[8:]), n.u32(b[20:]), n.u32(b[24:])
	case blockPacket:
		id, captured, wire = uint32(n.u16(b[8:])), n.u32(b[20:]), n.u32(b[24:])
	case blockSimple:
		wire = n.u32(b[8:])
		captured = min(wire, room)
	}
	if id >= uint32(len(n.ifaces)) {
		return damaged(n.offset+8, "the packet is of interface %d, the section describes %d", id, len(n.ifaces))
	}
	iface := &n.ifaces[id]
	if raw.Uncountable = false; kind == blockSimple {
		// It has neither a time nor a captured length: the time of the packet before
		// and the snap length are used (Section 4.4).
		if iface.snapLen > 0 {
			captured = min(captured, iface.snapLen)
		}
	} else {
		n.stamp(raw, iface, uint64(n.u32(b[12:]))<<32|uint64(n.u32(b[16:])))
	}
	if captured > room {
		return damaged(n.offset+20, "the packet claims %d captured bytes in a block that has room for %d", captured, room)
	}
	n.packets++
	n.from = int(id)
	raw.FileNum = n.packets
	raw.Offset, raw.Time, raw.WireLen = n.offset, n.lastTime, int(max(wire, captured))
	raw.Iface, raw.Link, raw.Data, raw.Longer = iface.id, iface.link, b[head:head+captured], captured > wire
	if n.comments {
		raw.Comments = nil
		if kind != blockSimple {
			raw.Comments = n.commentsIn(b[head:size-4], captured)
		}
	}
	n.delivered = int(size)
	return nil
}

// count returns how many packets were read.
func (n *ngReader) count() uint64 { return n.packets }

// skip skips a block of any length.
func (n *ngReader) skip(size uint32) error {
	const step = 1 << 30 // what fits an int everywhere
	start, left := n.offset, int64(size)-4
	for left > 0 {
		took, err := n.in.discard(int(min(left, step)))
		if left -= int64(took); err != nil {
			return n.short("block", int(int64(size)-4-left), int(size), err)
		}
	}
	b, err := n.in.peek(4)
	if err != nil {
		return n.short("block", int(size)-4+len(b), int(size), err)
	}
	if err := n.closing(size, b); err != nil {
		return err
	}
	n.offset = start + int64(size) - 4
	return n.discard(4)
}

// discard drops bytes from the buffer.
func (n *ngReader) discard(size int) error {
	took, err := n.in.discard(size)
	n.offset += int64(took)
	return err
}

// short calls shortRead for the current block.
func (n *ngReader) short(unit string, have, want int, err error) error {
	return shortRead(n.compression, n.offset, unit, have, want, err)
}

// newNgReader reads the first section header, so that a file that ends before it is recognised
// at once.
func newNgReader(in *window, compression string, reg newIface) (*ngReader, error) {
	n := &ngReader{in: in, compression: compression, reg: reg}
	kind, size, err := n.header()
	if err == nil {
		err = n.describe(kind, size)
	}
	if errors.Is(err, io.EOF) {
		err = damaged(0, "there is no section header")
	}
	if err != nil {
		return nil, err
	}
	return n, nil
}
