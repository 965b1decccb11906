package metrics

import (
	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/stats"
)

// Bursts are the runs of consecutive data sequence numbers on one subflow.
type Bursts struct {
	Bytes    stats.Dist
	Duration stats.Dist // ms
}

// burst is the run of consecutive data that lasts, in one direction of a
// connection.
type burst struct {
	on          *SubDir // that carries it; nil for none
	start, end  seq.DSN
	first, last int64 // ns
}

// take takes a piece of payload. What its subflow carried before neither
// belongs to a run nor ends it.
func (b *burst) take(p *dss.Piece, on *SubDir, now int64) {
	if on == b.on && p.Data.Start == b.end && p.Kind != dss.Retransmission {
		b.end, b.last = p.Data.End, now
	} else {
		b.turn(p, on, now)
	}
}

// turn takes a piece that does not continue the run.
func (b *burst) turn(p *dss.Piece, on *SubDir, now int64) {
	if p.Kind != dss.Retransmission {
		b.close()
		*b = burst{on, p.Data.Start, p.Data.End, now, now}
	}
}

// close ends the run.
func (b *burst) close() {
	if b.on != nil {
		b.on.Bursts.Bytes.Add(float64(b.end - b.start))
		b.on.Bursts.Duration.Add(ms(b.last - b.first))
		b.on = nil
	}
}
