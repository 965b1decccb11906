package capture

import (
	"bufio"
	"encoding/binary"

	"github.com/gopacket/gopacket/pcapgo"
)

const (
	// bufferSize is the read buffer under each open file. It is also what
	// bounds the memory that a length in a file can claim.
	bufferSize = 1 << 20

	// maxCaptured bounds the captured octets of one packet. The largest that a
	// Linux host can produce are BIG TCP super-segments of 512 KiB.
	maxCaptured = bufferSize - 64

	pcapHeaderLen   = 24
	recordHeaderLen = 16
)

// register hands out the number of a new interface of the source.
type register func(link LinkType, snapLen uint32) int

// pcapReader reads a classic pcap file. pcapgo reads the records; this layer
// looks at each record first, so that an impossible length is found before it
// puts the reader out of step, and so that the place is known.
type pcapReader struct {
	br          *bufio.Reader
	records     *pcapgo.Reader
	order       binary.ByteOrder
	compression string
	offset      int64
	packets     uint64 // read so far
	iface       int
	link        LinkType
}

// newPcapReader reads the file header.
func newPcapReader(br *bufio.Reader, compression string, bigEndian bool, reg register) (*pcapReader, error) {
	p := &pcapReader{br: br, compression: compression, offset: pcapHeaderLen, order: binary.LittleEndian}
	if bigEndian {
		p.order = binary.BigEndian
	}
	head, err := br.Peek(pcapHeaderLen)
	if err != nil {
		return nil, shortRead(compression, 0, "file header", len(head), pcapHeaderLen, err)
	}
	if major, minor := p.order.Uint16(head[4:]), p.order.Uint16(head[6:]); major != 2 || minor != 4 {
		return nil, damaged(4, "the file says pcap version %d.%d, only 2.4 is known", major, minor)
	}
	snapLen := p.order.Uint32(head[16:])
	// The upper half of the field holds flags and the length of a frame check
	// sequence (draft-ietf-opsawg-pcap, Section 4).
	p.link = LinkType(p.order.Uint32(head[20:]))
	if p.records, err = pcapgo.NewReader(br); err != nil {
		return nil, &DamageError{What: "the file header is not understood", Hint: hintDamaged, Err: err}
	}
	// Files by writers that ignore their own snap length, and captures with
	// segmentation offload, hold longer packets than the header announces.
	p.records.SetSnaplen(maxCaptured)
	p.iface = reg(p.link, snapLen)
	return p, nil
}

// next reads the next packet. It returns [io.EOF] at the end of the file.
func (p *pcapReader) next(raw *Raw) error {
	head, err := p.br.Peek(recordHeaderLen)
	if err != nil {
		return shortRead(p.compression, p.offset, "record header", len(head), recordHeaderLen, err)
	}
	captured, wire := p.order.Uint32(head[8:]), p.order.Uint32(head[12:])
	if captured > maxCaptured {
		return damaged(p.offset, "the record claims %d captured octets, at most %d are possible", captured, maxCaptured)
	}
	if captured > wire {
		return damaged(p.offset, "the record claims %d captured octets of a packet of %d", captured, wire)
	}
	size := recordHeaderLen + int(captured)
	if have, err := p.br.Peek(size); err != nil {
		return shortRead(p.compression, p.offset, "record", len(have), size, err)
	}
	data, info, err := p.records.ZeroCopyReadPacketData()
	if err != nil {
		return &DamageError{Offset: p.offset, What: "the record is not understood", Hint: hintDamaged, Err: err}
	}
	p.packets++
	raw.FileNum = p.packets
	raw.Offset, raw.Time, raw.WireLen = p.offset, info.Timestamp.UnixNano(), info.Length
	raw.Iface, raw.Link, raw.Data = p.iface, p.link, data
	p.offset += int64(size)
	return nil
}

// count returns how many packets were read.
func (p *pcapReader) count() uint64 { return p.packets }
