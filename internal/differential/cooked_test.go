package differential

import (
	"encoding/binary"
	"io"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// uncooked returns a capture in a form that tcptrace reads. It knows all link
// types of these captures but Linux cooked v2, which becomes Ethernet with
// addresses of zero.
func uncooked(t *testing.T, capture io.Reader, pcapng bool) io.Reader {
	t.Helper()
	if pcapng {
		return capture
	}
	r, w := io.Pipe()
	t.Cleanup(func() { r.Close() })
	go func() { w.CloseWithError(rewrite(capture, w)) }()
	return r
}

const (
	sll2HeaderLen     = 20
	ethernetHeaderLen = 14
)

// rewrite copies a capture, with Ethernet headers in place of cooked ones.
func rewrite(capture io.Reader, w io.Writer) error {
	in, err := pcapgo.NewReader(capture)
	if err != nil {
		return err
	}
	cooked := in.LinkType() == layers.LinkTypeLinuxSLL2
	link := in.LinkType()
	if cooked {
		link = layers.LinkTypeEthernet
	}
	out := pcapgo.NewWriterNanos(w)
	if err := out.WriteFileHeader(in.Snaplen(), link); err != nil {
		return err
	}
	for {
		data, info, err := in.ReadPacketData()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if cooked {
			data, info = ethernet(data, info)
		}
		if err := out.WritePacket(info, data); err != nil {
			return err
		}
	}
}

// ethernet exchanges the header of one packet. The first two bytes of a
// cooked v2 header are the EtherType.
func ethernet(data []byte, info gopacket.CaptureInfo) ([]byte, gopacket.CaptureInfo) {
	const less = sll2HeaderLen - ethernetHeaderLen
	etherType := binary.BigEndian.Uint16(data)
	data = data[less:]
	clear(data[:12])
	binary.BigEndian.PutUint16(data[12:], etherType)
	info.CaptureLength -= less
	info.Length -= less
	return data, info
}
