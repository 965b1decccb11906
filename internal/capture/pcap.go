package capture

import (
	"encoding/binary"
	"math/bits"
)

const (
	// largestSnapLen is the largest snap length of libpcap. Some records hold more bytes
	// than they say were on the wire. If such a record holds more than this, and more than
	// the snap length of the file, it is no record but other bytes.
	largestSnapLen = 256 << 10

	// maxCaptured bounds the captured bytes of one packet. The largest that a Linux
	// host can produce are BIG TCP super-segments of 512 KiB.
	maxCaptured = bufferSize - 64

	pcapHeaderLen   = 24
	recordHeaderLen = 16
)

// Interface is the description of an interface in a file.
type Interface struct {
	Link        LinkType
	SnapLen     uint32 // bytes kept of a packet; 0 is unlimited
	Name        string // empty if the file does not have it
	Description string // empty if the file does not have it
}

// newIface adds an interface to the source and returns its number.
type newIface func(Interface) int

// pcapReader reads a classic pcap file (draft-ietf-opsawg-pcap) from its window,
// without a copy.
//
// pcapgo's reader is not used because it copies each record header and makes a
// time.Time of each timestamp: with it, reading packets of 128 bytes took almost three
// times as long. It also accepts a file that ends between the header of a record and
// its data. A test compares the two.
type pcapReader struct {
	in          *window
	compression string
	swapped     bool   // the file is in big-endian byte order
	unit        int64  // of the fraction of a second, ns
	offset      int64  // of the current record
	packets     uint64 // number read so far
	regular     bool   // a regular file: reading does not wait for a writer
	iface       int
	link        LinkType

	mostLonger uint32      // most captured bytes of a record that says that the packet was shorter: see largestSnapLen
	lengths    lengthOrder // of the file
}

// lengthOrder is in which order a record header has its two lengths. Version 2.3 of the format
// exchanged them. libpcap reads older files in the same way.
type lengthOrder uint8

const (
	lengthsCaptured  lengthOrder = iota // captured, on the wire
	lengthsExchanged                    // on the wire, captured: before version 2.3, and 543.0 of tcpdump on DG/UX
	lengthsEither                       // either, the smaller one is the captured: writers of version 2.3 differed
)

// newPcapReader reads the file header.
func newPcapReader(in *window, compression string, regular bool, of *format, reg newIface) (*pcapReader, error) {
	p := &pcapReader{in: in, compression: compression, regular: regular, swapped: of.bigEndian, unit: of.unit, offset: pcapHeaderLen}
	var order binary.ByteOrder = binary.LittleEndian
	if of.bigEndian {
		order = binary.BigEndian
	}
	head, err := in.peek(pcapHeaderLen)
	if err != nil {
		return nil, shortRead(compression, 0, "file header", len(head), pcapHeaderLen, err)
	}
	switch major, minor := order.Uint16(head[4:]), order.Uint16(head[6:]); {
	case major == 2 && minor == 4:
	case major == 2 && minor == 3:
		p.lengths = lengthsEither
	case major == 2 && minor < 3, major == 543 && minor == 0:
		p.lengths = lengthsExchanged
	default:
		return nil, damaged(4, "the file says pcap version %d.%d, only 2.0 to 2.4 are known", major, minor)
	}
	// The upper half of the field holds flags and the length of a frame check sequence
	// (Section 4).
	p.link = LinkType(order.Uint32(head[20:]))
	snapLen := order.Uint32(head[16:])
	p.mostLonger = max(snapLen, largestSnapLen)
	p.iface = reg(Interface{Link: p.link, SnapLen: snapLen})
	_, err = in.discard(pcapHeaderLen)
	return p, err
}

// next reads the next packet; its data is valid until the next call. At the end of the
// file it returns [io.EOF].
//
// Records may be longer than the snap length of the file: some writers do not keep to it, and
// captures with segmentation offload have longer packets.
func (p *pcapReader) next(raw *Raw) error {
	size, unit := recordHeaderLen, "record header"
	if record := p.in.rest(); len(record) >= recordHeaderLen {
		timestamp, lengths := p.header((*[recordHeaderLen]byte)(record))
		captured, wire := uint32(lengths), uint32(lengths>>32)
		size, unit = recordHeaderLen+int(captured), "record"
		whole := len(record) >= size
		switch {
		case captured > maxCaptured || captured > wire && captured > p.mostLonger:
			return p.impossible(captured, wire)
		case captured == 0:
			return p.emptyRecord(raw, timestamp, lengths)
		case whole && captured > wire:
			return p.longer(raw, timestamp, captured, wire)
		case whole:
			p.deliver(raw, timestamp, int(captured), int(wire))
			return nil
		}
	}
	if record, err := p.in.more(size); err != nil {
		return shortRead(p.compression, p.offset, unit, len(record), size, err)
	}
	return p.next(raw)
}

// longer does what next does, for a record that holds more bytes than it says were on the wire.
// The whole record must be in memory. Its captured length is right, because the next record
// stands behind that many bytes. libpcap and Wireshark read such records, too. It is no packet
// if zeros begin within its header and go on to its end: see emptyRecord.
func (p *pcapReader) longer(raw *Raw, timestamp uint64, captured, wire uint32) error {
	if wire == 0 && allZero(p.in.rest()[recordHeaderLen:recordHeaderLen+int(captured)]) {
		return damaged(p.offset, "from this record on there are zeros where packets should be")
	}
	p.deliver(raw, timestamp, int(captured), int(captured))
	raw.Longer = true
	return nil
}

// deliver delivers the record at the start of the window. It sets all fields of raw except the numbers that
// only the source knows.
func (p *pcapReader) deliver(raw *Raw, timestamp uint64, captured, wire int) {
	size := recordHeaderLen + captured
	p.packets++
	raw.FileNum, raw.Offset, raw.Iface, raw.Link = p.packets, p.offset, p.iface, p.link
	raw.Time, raw.WireLen = int64(uint32(timestamp))*nanosecond+int64(timestamp>>32)*p.unit, wire
	raw.Data = p.in.rest()[recordHeaderLen:size]
	raw.Longer, raw.Uncountable, raw.Comments = false, false, nil
	p.in.at += size
	p.offset += int64(size)
}

// emptyRecord does what next does, for a record without captured bytes. The header of the record
// must be in memory.
//
// A record of zeros is no packet but a part of the file that was never written, as after a crash
// of the host. As a packet it would have no length and be in the first microsecond of 1970. If
// such a part begins inside a record header, that record has no lengths either. Any other record
// of length 0 is a packet. In a pipe, such a packet must not wait for the next record.
func (p *pcapReader) emptyRecord(raw *Raw, timestamp, lengths uint64) error {
	if lengths == 0 {
		following := p.in.rest()[recordHeaderLen:]
		if p.regular {
			both, _ := p.in.peek(2 * recordHeaderLen) // an error here comes again at the next record
			following = both[recordHeaderLen:]
		}
		following = following[:min(len(following), recordHeaderLen)]
		if timestamp == 0 || len(following) > 0 && allZero(following) {
			return damaged(p.offset, "from this record on there are zeros where packets should be")
		}
	}
	p.deliver(raw, timestamp, 0, int(lengths>>32))
	return nil
}

func allZero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

// header returns two words of the record header h: seconds and their fraction, and the
// lengths, captured and on the wire. The first of each is the lower half.
func (p *pcapReader) header(h *[recordHeaderLen]byte) (timestamp, lengths uint64) {
	timestamp, lengths = binary.LittleEndian.Uint64(h[:]), binary.LittleEndian.Uint64(h[8:])
	if p.swapped {
		timestamp = bits.RotateLeft64(bits.ReverseBytes64(timestamp), 32)
		lengths = bits.RotateLeft64(bits.ReverseBytes64(lengths), 32)
	}
	if p.lengths == lengthsExchanged || p.lengths == lengthsEither && uint32(lengths) > uint32(lengths>>32) {
		lengths = bits.RotateLeft64(lengths, 32)
	}
	return timestamp, lengths
}

// impossible returns an error that says what is wrong with the lengths of the current record.
func (p *pcapReader) impossible(captured, wire uint32) error {
	if captured > maxCaptured {
		return damaged(p.offset, "the record claims %d captured bytes, at most %d are possible", captured, maxCaptured)
	}
	return damaged(p.offset, "the record claims %d captured bytes of a packet of %d", captured, wire)
}

// count returns how many packets were read.
func (p *pcapReader) count() uint64 { return p.packets }
