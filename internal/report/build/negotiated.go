package build

import (
	"cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

const (
	noVersion  = "no option that tells the version was captured: MP_CAPABLE, ADD_ADDR or MP_TCPRST"
	noChecksum = "neither the MP_CAPABLE of both ends nor a mapping was captured"
)

// negotiated fills what the ends agreed on, as far as the capture tells.
func (b *Builder) negotiated(out *report.Connection, m *metrics.Connection) {
	c, cut := m.Conn, ""
	if len(m.Subs) > 0 {
		cut = cmp.Or(m.Subs[0].OffersCut(conn.A), m.Subs[0].OffersCut(conn.B))
	}
	if c.VersionKnown() {
		out.Version = b.mem.Small.Of(int(c.Version))
	} else {
		out.Unavailable.Set("version", cmp.Or(cut, noVersion))
	}
	if inUse, known := c.Checksums(); known {
		out.Checksum = b.mem.Bools.Of(inUse)
	} else {
		out.Unavailable.Set("checksum", cmp.Or(cut, noChecksum))
	}
}
