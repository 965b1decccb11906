package build

import (
	"net/netip"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
)

// Path returns the name of the path of a subflow.
func (b *Builder) Path(s *conn.Subflow) string { return b.PathOf(s.Ends) }

// PathOf returns the name of the path between two ends.
func (b *Builder) PathOf(ends [2]packet.Endpoint) string {
	x, y := endpoint(ends[conn.A]), endpoint(ends[conn.B])
	return b.pathOf(ends, &x, &y)
}

// pathOf is PathOf of ends whose texts are known.
func (b *Builder) pathOf(ends [2]packet.Endpoint, x, y *report.Endpoint) string {
	if b.Label != nil {
		if name := b.Label(addr(ends[conn.A]), addr(ends[conn.B])); name != "" {
			return name
		}
	}
	return x.Addr + "-" + y.Addr
}

func endpoint(e packet.Endpoint) report.Endpoint {
	return report.Endpoint{Addr: addr(e).String(), Port: int(e.Port)}
}

func addr(e packet.Endpoint) netip.Addr { return netip.AddrFrom16(e.Addr).Unmap() }

func side(s conn.Side) report.Side { return report.Side(s.String()) }

// DirectionOf returns the direction of the data that a host sends.
func DirectionOf(from conn.Side) report.Direction { return report.Directions[from] }

func ms(ns int64) float64 { return float64(ns) / 1e6 }

func seconds(ns int64) float64 { return float64(ns) / 1e9 }
