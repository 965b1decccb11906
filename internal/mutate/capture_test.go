package mutate

import (
	"encoding/binary"
	"errors"
	"io"
	"math/bits"

	"mpanalyze/internal/capture"
)

// Packet is one record of a capture file.
type Packet struct {
	Time  int64 // ns since the Unix epoch
	Iface int   // number of the interface; classic pcap files cannot show it
	Wire  int   // bytes on the wire
	Frame []byte
}

// Capture is a capture file in memory.
type Capture struct {
	Link    capture.LinkType
	Packets []Packet
	Format  Format
}

// Read reads up to so many packets of a file, after skipping some.
func Read(path string, skip, packets int) (*Capture, error) {
	source, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		return nil, err
	}
	defer source.Close()
	out := &Capture{}
	for len(out.Packets) < packets {
		var raw capture.Raw
		if err := source.Next(&raw); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if skip--; skip >= 0 {
			continue
		}
		out.Link = raw.Link
		out.Packets = append(out.Packets, Packet{raw.Time, raw.Iface, raw.WireLen, append([]byte(nil), raw.Data...)})
	}
	return out, nil
}

// clone returns a packet with bytes of its own.
func (p Packet) clone() Packet {
	p.Frame = append([]byte(nil), p.Frame...)
	return p
}

// Format says how a capture is written.
type Format struct {
	NG        bool
	Nano      bool // of classic pcap
	BigEndian bool
	Snap      int // 0 for no limit

	Resolution byte // of pcapng: if_tsresol, and then if_tsoffset is the first second; 0 for nanoseconds
}

// noLimit is the snapshot length that tcpdump writes if it cuts nothing.
const noLimit = 262144

// blocks of pcapng (draft-ietf-opsawg-pcapng).
const (
	sectionHeader   = 0x0a0d0d0a
	interfaceBlock  = 1
	statisticsBlock = 5
	enhancedPacket  = 6
	optionResol     = 9  // if_tsresol
	optionOffset    = 14 // if_tsoffset
)

// Bytes returns the capture as a file.
func (c *Capture) Bytes() []byte {
	if c.Format.NG {
		return c.ng()
	}
	var order binary.AppendByteOrder = binary.LittleEndian
	if c.Format.BigEndian {
		order = binary.BigEndian
	}
	magic, unit := uint32(0xa1b2c3d4), int64(1000)
	if c.Format.Nano {
		magic, unit = 0xa1b23c4d, 1
	}
	b := order.AppendUint32(nil, magic)
	b = order.AppendUint16(order.AppendUint16(b, 2), 4)
	b = order.AppendUint32(order.AppendUint32(b, 0), 0)
	b = order.AppendUint32(order.AppendUint32(b, noLimit), uint32(c.Link))
	for i := range c.Packets {
		p := &c.Packets[i]
		frame := c.cut(p)
		second := floor(p.Time, 1e9)
		b = order.AppendUint32(b, uint32(second)) // a time before 1970 or after 2106 wraps
		b = order.AppendUint32(b, uint32((p.Time-second*1e9)/unit))
		b = order.AppendUint32(order.AppendUint32(b, uint32(len(frame))), uint32(p.Wire))
		b = append(b, frame...)
	}
	return b
}

// floor divides and rounds down.
func floor(n, by int64) int64 {
	if n < 0 && n%by != 0 {
		return n/by - 1
	}
	return n / by
}

// cut returns what the snapshot length leaves of a packet.
func (c *Capture) cut(p *Packet) []byte {
	if c.Format.Snap > 0 && len(p.Frame) > c.Format.Snap {
		return p.Frame[:c.Format.Snap]
	}
	return p.Frame
}

// units returns a time in units of a resolution. It rounds up, so that who rounds down to
// nanoseconds gets the time.
func units(time int64, resolution byte) uint64 {
	perSecond := uint64(1)
	for range resolution & 0x7f {
		if perSecond *= 10; resolution&0x80 != 0 {
			perSecond = perSecond / 10 * 2
		}
	}
	hi, lo := bits.Mul64(uint64(time), perSecond)
	lo, carry := bits.Add64(lo, 1e9-1, 0)
	n, _ := bits.Div64(hi+carry, lo, 1e9)
	return n
}

// ng returns the capture as pcapng. With times before 1970 the interfaces have an offset.
func (c *Capture) ng() []byte {
	ifaces, offset := 1, int64(0)
	if c.Format.Resolution != 0 && len(c.Packets) > 0 {
		offset = floor(c.Packets[0].Time, 1e9)
	}
	for i := range c.Packets {
		ifaces, offset = max(ifaces, c.Packets[i].Iface+1), min(offset, floor(c.Packets[i].Time, 1e9))
	}
	var order binary.AppendByteOrder = binary.LittleEndian
	if c.Format.BigEndian {
		order = binary.BigEndian
	}
	resolution := c.Format.Resolution
	if resolution == 0 {
		resolution = 9
	}
	section := order.AppendUint32(nil, 0x1a2b3c4d)
	section = order.AppendUint16(order.AppendUint16(section, 1), 0)
	b := orderedBlock(nil, order, sectionHeader, order.AppendUint64(section, 1<<64-1))
	for range min(ifaces, 16) {
		d := order.AppendUint16(order.AppendUint16(nil, uint16(c.Link)), 0)
		d = order.AppendUint32(d, noLimit)
		d = append(order.AppendUint16(order.AppendUint16(d, optionResol), 1), resolution, 0, 0, 0)
		d = order.AppendUint64(order.AppendUint16(order.AppendUint16(d, optionOffset), 8), uint64(offset))
		b = orderedBlock(b, order, interfaceBlock, append(d, 0, 0, 0, 0))
	}
	for i := range c.Packets {
		p := &c.Packets[i]
		frame := c.cut(p)
		at := units(p.Time-offset*1e9, resolution)
		d := order.AppendUint32(nil, uint32(p.Iface%16))
		d = order.AppendUint32(order.AppendUint32(d, uint32(at>>32)), uint32(at))
		d = order.AppendUint32(order.AppendUint32(d, uint32(len(frame))), uint32(p.Wire))
		d = append(d, frame...)
		for len(d)%4 != 0 {
			d = append(d, 0)
		}
		b = orderedBlock(b, order, enhancedPacket, d)
	}
	return b
}

func orderedBlock(b []byte, order binary.AppendByteOrder, kind uint32, body []byte) []byte {
	length := uint32(12 + len(body))
	b = order.AppendUint32(order.AppendUint32(b, kind), length)
	return order.AppendUint32(append(b, body...), length)
}
