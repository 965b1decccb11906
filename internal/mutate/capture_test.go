package mutate

import (
	"errors"
	"io"

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
