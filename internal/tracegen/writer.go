package tracegen

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// Format says what kind of capture file to write. The zero value is classic pcap as tcpdump
// writes it on a little-endian machine: Ethernet, microseconds, nothing cut.
type Format struct {
	PcapNG     bool // pcapng; always little endian and nanoseconds
	Nanosecond bool
	BigEndian  bool
	SnapLen    int      // bytes that are kept of each frame; 0 keeps all
	Link       LinkType // 0 means Ethernet; for link type NULL set Null
	Null       bool     // link type NULL
}

// noLimit is the snapshot length that tcpdump writes if it cuts nothing.
const noLimit = 262144

func (f Format) link() LinkType {
	switch {
	case f.Null:
		return LinkNull
	case f.Link == 0:
		return LinkEthernet
	}
	return f.Link
}

func (f Format) snapLen() int {
	if f.SnapLen == 0 {
		return noLimit
	}
	return f.SnapLen
}

// Writer writes packets to a capture file.
type Writer struct {
	format Format
	order  binary.AppendByteOrder
	buf    *bufio.Writer
	ng     *pcapgo.NgWriter
	frame  []byte
	record []byte
}

// NewWriter writes the file header and returns a writer of packets. Errors are
// those of w.
func NewWriter(w io.Writer, f Format) (*Writer, error) {
	wr := &Writer{format: f, order: binary.LittleEndian, buf: bufio.NewWriterSize(w, 64<<10)}
	if f.BigEndian {
		wr.order = binary.BigEndian
	}
	if f.PcapNG {
		var err error
		wr.ng, err = pcapgo.NewNgWriterInterface(wr.buf, pcapgo.NgInterface{
			Name:       "eth0",
			LinkType:   layers.LinkType(f.link()),
			SnapLength: uint32(f.snapLen()),
		}, pcapgo.DefaultNgWriterOptions)
		return wr, err
	}
	_, err := wr.buf.Write(wr.header())
	return wr, err
}

// header returns the 24 bytes of the file header of a classic pcap file
// (draft-ietf-opsawg-pcap, Section 4).
func (w *Writer) header() []byte {
	magic := uint32(0xa1b2c3d4)
	if w.format.Nanosecond {
		magic = 0xa1b23c4d
	}
	b := w.order.AppendUint32(nil, magic)
	b = w.order.AppendUint16(b, 2)
	b = w.order.AppendUint16(b, 4)
	b = w.order.AppendUint32(b, 0)
	b = w.order.AppendUint32(b, 0)
	b = w.order.AppendUint32(b, uint32(w.format.snapLen()))
	return w.order.AppendUint32(b, uint32(w.format.link()))
}

// Write writes one packet, cut to the snapshot length. Errors are those of the writer given
// to [NewWriter].
func (w *Writer) Write(p *Packet) error {
	frame, wire := p.AppendFrame(w.frame[:0], w.format.link())
	w.frame = frame
	return w.writeFrame(p.Time, frame, wire)
}

// writeFrame writes a frame captured at time t, ns since the epoch. wire is its length on
// the wire, bytes; it must not be less than that of the frame.
func (w *Writer) writeFrame(t int64, frame []byte, wire int) error {
	if wire < len(frame) {
		return fmt.Errorf("tracegen: frame of %d bytes is longer than its wire length %d", len(frame), wire)
	}
	frame = frame[:min(len(frame), w.format.snapLen())]
	if w.ng != nil {
		return w.ng.WritePacket(gopacket.CaptureInfo{
			Timestamp: time.Unix(0, t), CaptureLength: len(frame), Length: wire,
		}, frame)
	}
	fraction := t % 1e9
	if !w.format.Nanosecond {
		fraction /= 1e3
	}
	b := w.order.AppendUint32(w.record[:0], uint32(t/1e9))
	b = w.order.AppendUint32(b, uint32(fraction))
	b = w.order.AppendUint32(b, uint32(len(frame)))
	b = w.order.AppendUint32(b, uint32(wire))
	w.record = append(b, frame...)
	_, err := w.buf.Write(w.record)
	return err
}

// Flush writes what is buffered. Call it after the last packet.
func (w *Writer) Flush() error {
	if w.ng != nil {
		if err := w.ng.Flush(); err != nil {
			return err
		}
	}
	return w.buf.Flush()
}
