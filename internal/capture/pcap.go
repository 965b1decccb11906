package capture

import (
	"encoding/binary"
	"math/bits"
)

const (
	// maxCaptured bounds the captured octets of one packet. The largest that a
	// Linux host can produce are BIG TCP super-segments of 512 KiB.
	maxCaptured = bufferSize - 64

	pcapHeaderLen   = 24
	recordHeaderLen = 16
)

// register hands out the number of a new interface of the source.
type register func(link LinkType, snapLen uint32) int

// pcapReader reads a classic pcap file (draft-ietf-opsawg-pcap) out of the
// window under it, without a copy.
//
// pcapgo's reader is not used here, because it copies each record header and
// makes a time.Time of each time stamp: with it, reading took 67 ns per packet
// of 128 octets, here it takes 24, of which 10 are the kernel's. It also takes
// a file that ends between the header of a record and its data for a sound one.
// A test holds the two together.
type pcapReader struct {
	in          *window
	compression string
	swapped     bool   // the file is in big-endian byte order
	unit        int64  // of the fraction of a second, in nanoseconds
	offset      int64  // of the record at hand
	packets     uint64 // read so far
	iface       int
	link        LinkType
}

// newPcapReader reads the file header.
func newPcapReader(in *window, compression string, nano, bigEndian bool, reg register) (*pcapReader, error) {
	p := &pcapReader{in: in, compression: compression, swapped: bigEndian, unit: 1000, offset: pcapHeaderLen}
	if nano {
		p.unit = 1
	}
	var order binary.ByteOrder = binary.LittleEndian
	if bigEndian {
		order = binary.BigEndian
	}
	head, err := in.peek(pcapHeaderLen)
	if err != nil {
		return nil, shortRead(compression, 0, "file header", len(head), pcapHeaderLen, err)
	}
	if major, minor := order.Uint16(head[4:]), order.Uint16(head[6:]); major != 2 || minor != 4 {
		return nil, damaged(4, "the file says pcap version %d.%d, only 2.4 is known", major, minor)
	}
	// The upper half of the field holds flags and the length of a frame check
	// sequence (Section 4).
	p.link = LinkType(order.Uint32(head[20:]))
	p.iface = reg(p.link, order.Uint32(head[16:]))
	_, err = in.discard(pcapHeaderLen)
	return p, err
}

// next reads the next packet, whose data lies in the window until the next
// call. It returns [io.EOF] at the end of the file.
//
// The snap length is not held against the records: writers ignore their own,
// and captures with segmentation offload hold longer packets.
func (p *pcapReader) next(raw *Raw) error {
	record := p.in.rest()
	if len(record) < recordHeaderLen {
		return p.after(recordHeaderLen, "record header", raw)
	}
	h := (*[recordHeaderLen]byte)(record)
	sec, frac := binary.LittleEndian.Uint32(h[0:]), binary.LittleEndian.Uint32(h[4:])
	captured, wire := binary.LittleEndian.Uint32(h[8:]), binary.LittleEndian.Uint32(h[12:])
	if p.swapped {
		sec, frac = bits.ReverseBytes32(sec), bits.ReverseBytes32(frac)
		captured, wire = bits.ReverseBytes32(captured), bits.ReverseBytes32(wire)
	}
	if captured > maxCaptured || captured > wire {
		return p.impossible(captured, wire)
	}
	size := recordHeaderLen + int(captured)
	if len(record) < size {
		return p.after(size, "record", raw)
	}
	p.in.at += size
	p.packets++
	raw.FileNum = p.packets
	raw.Offset, raw.Time, raw.WireLen = p.offset, int64(sec)*nanosecond+int64(frac)*p.unit, int(wire)
	raw.Iface, raw.Link, raw.Data = p.iface, p.link, record[recordHeaderLen:size]
	p.offset += int64(size)
	return nil
}

// after is next where size octets, which the unit named takes, are not in
// memory yet.
func (p *pcapReader) after(size int, unit string, raw *Raw) error {
	if record, err := p.in.more(size); err != nil {
		return shortRead(p.compression, p.offset, unit, len(record), size, err)
	}
	return p.next(raw)
}

// impossible says what is wrong with the lengths of the record at hand.
func (p *pcapReader) impossible(captured, wire uint32) error {
	if captured > maxCaptured {
		return damaged(p.offset, "the record claims %d captured octets, at most %d are possible", captured, maxCaptured)
	}
	return damaged(p.offset, "the record claims %d captured octets of a packet of %d", captured, wire)
}

// count returns how many packets were read.
func (p *pcapReader) count() uint64 { return p.packets }
