package engine

import (
	"fmt"
	"net/netip"
	"strings"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
)

// exchanged says that the capture that was named as the sender's was taken at the host that
// receives most of the data; empty where it was not, where that cannot be told, and where
// the user left it to the program. Which host it is follows from the round trips of the
// handshakes, which are whole at the host that begins them and almost nothing at its peer,
// or else from the packets in both captures.
func (o *Options) exchanged(doc *report.Document, about *startInfo) string {
	if o.Swap {
		return ""
	}
	var sent, received int64
	count := func(v report.Vantage, ends [][2]*report.Endpoint, a2b, b2a int64) {
		if v != report.VantageA && v != report.VantageB {
			v = about.place(ends)
		}
		switch v {
		case report.VantageA:
			sent, received = sent+a2b, received+b2a
		case report.VantageB:
			sent, received = sent+b2a, received+a2b
		}
	}
	for i := range doc.Connections {
		c := &doc.Connections[i]
		var ends [][2]*report.Endpoint
		for k := range c.Subflows {
			ends = append(ends, [2]*report.Endpoint{&c.Subflows[k].A, &c.Subflows[k].B})
		}
		count(c.Vantage, ends, c.A2B.Volume(), c.B2A.Volume())
	}
	for i := range doc.TCP {
		c := &doc.TCP[i]
		count(c.Vantage, [][2]*report.Endpoint{{&c.A, &c.B}}, c.A2B.Volume(), c.B2A.Volume())
	}
	if received <= exchangedFactor*sent {
		return ""
	}
	return fmt.Sprintf("%s, named as the sender's, was captured at the host that receives most of the data (%d of %d bytes), so that figures of the sender are those of the receiver: exchange --sender and --receiver, or let mpanalyze pair find out which is whose",
		strings.Join(o.Paths, ", "), received, sent+received)
}

// exchangedFactor is how much more data than it sends a host must receive that it is not the
// sender for certain.
const exchangedFactor = 2

// place returns where the first capture was taken, a or b, by the first of the flows that
// says so; empty where none does.
func (x *startInfo) place(ends [][2]*report.Endpoint) report.Vantage {
	for _, e := range ends {
		a, okA := endpointOf(e[0])
		b, okB := endpointOf(e[1])
		if !okA || !okB {
			continue
		}
		for way, k := range [2]flowKey{{a, b}, {b, a}} { // a is the lesser one, or b
			f := x.flows[k]
			if f == nil {
				continue
			}
			if d, known := f.sentAtFirst(); known && d == way {
				return report.VantageA
			} else if known {
				return report.VantageB
			}
		}
	}
	return ""
}

// endpointOf returns an endpoint as segments have it.
func endpointOf(e *report.Endpoint) (out packet.Endpoint, ok bool) {
	addr, err := netip.ParseAddr(e.Addr)
	if err != nil {
		return out, false
	}
	return packet.Endpoint{Addr: addr.As16(), Port: uint16(e.Port)}, true
}
