package engine

import (
	"fmt"
	"net/netip"
	"strings"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
)

// exchanged returns the text of a warning if the capture that was given as the sender's
// was taken at the host that receives most of the data. It returns an empty text
// otherwise, if this cannot be found out, or if the user left the choice to the
// program. The round trips of the handshakes show the host: the host that begins a
// handshake sees a whole round trip, its peer almost none. If they do not show it,
// packets that are in both captures do.
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
	return fmt.Sprintf("%s is named as the sender's, but that host receives most of the data (%d of %d bytes), so figures of the sender are those of the receiver; exchange --sender and --receiver, or use --both, which finds out which file is whose",
		strings.Join(o.Paths, ", "), received, sent+received)
}

// exchangedFactor is a ratio. A host that receives so many times more data than it
// sends is certainly not the sender.
const exchangedFactor = 2

// place returns where the first capture was taken, a or b. It takes the answer of the
// first flow that shows it; empty if no flow does.
func (x *startInfo) place(ends [][2]*report.Endpoint) report.Vantage {
	for _, e := range ends {
		a, okA := endpointOf(e[0])
		b, okB := endpointOf(e[1])
		if !okA || !okB {
			continue
		}
		for i, k := range [2]flowKey{{a, b}, {b, a}} { // either a or b is the lesser one
			f := x.flows[k]
			if f == nil {
				continue
			}
			if d, known := f.sentAtFirst(); known && d == i {
				return report.VantageA
			} else if known {
				return report.VantageB
			}
		}
	}
	return ""
}

// endpointOf returns an endpoint in the form that segments use.
func endpointOf(e *report.Endpoint) (out packet.Endpoint, ok bool) {
	addr, err := netip.ParseAddr(e.Addr)
	if err != nil {
		return out, false
	}
	return packet.Endpoint{Addr: addr.As16(), Port: uint16(e.Port)}, true
}
