//go:build cgo && !nopcap

package filter

import (
	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcap"

	"mpanalyze/internal/capture"
)

// maxSnapLen is how many bytes of a packet a program may read: the whole packet.
const maxSnapLen = 1 << 20

// compiled is a program that libpcap has compiled and runs.
type compiled struct{ bpf *pcap.BPF }

// compile lets libpcap compile expr for packets of a link type.
func compile(link capture.LinkType, expr string) (program, error) {
	bpf, err := pcap.NewBPF(dlt(link), maxSnapLen, expr)
	if err != nil {
		return nil, refused(err.Error())
	}
	return compiled{bpf}, nil
}

// dlt returns the number that libpcap has for a link type in memory, which
// differs from the one in files for raw IP.
func dlt(link capture.LinkType) layers.LinkType {
	if link == capture.LinkRaw || link == capture.LinkRawBSD {
		return layers.LinkType(capture.LinkRawDLT)
	}
	return layers.LinkType(link)
}

// match implements program.
func (c compiled) match(raw *capture.Raw) bool {
	return c.bpf.Matches(gopacket.CaptureInfo{CaptureLength: len(raw.Data), Length: raw.WireLen}, raw.Data)
}
