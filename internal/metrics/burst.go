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
	data        seq.Range[seq.DSN]
	first, last int64 // ns
}

// take takes a piece of payload. What a subflow sends again neither belongs to
// a run nor ends it.
func (b *burst) take(p *dss.Piece, on *SubDir, now int64) {
	if p.Kind == dss.Retransmission {
		return
	}
	if on != b.on || p.Data.Start != b.data.End {
		b.close()
		b.on, b.data.Start, b.first = on, p.Data.Start, now
	}
	b.data.End, b.last = p.Data.End, now
}

// close ends the run.
func (b *burst) close() {
	if b.on != nil {
		b.on.Bursts.Bytes.Add(float64(b.data.Len()))
		b.on.Bursts.Duration.Add(ms(b.last - b.first))
		b.on = nil
	}
}
