package tcptrace

import "mpanalyze/internal/seq"

// goodputAcks is the number of DATA_ACKs over which a rate is taken: mptcptrace's option -G.
const goodputAcks = 10

// goodput is the state of mptcptrace's rates of one direction.
type goodput struct {
	begun, full bool
	first       rateMark // the first DATA_ACK
	oldest      rateMark // where the current bucket begins
	bucket      int      // DATA_ACKs in the current bucket
	ring        [goodputAcks]rateMark
	next        int // index in ring of the next DATA_ACK
	acked       uint64
}

// rateMark is a DATA_ACK that acknowledged new data.
type rateMark struct {
	ack seq.Wire
	at  int64 // us
}

// rate returns MB/s since another mark.
func (m rateMark) rate(since rateMark) float64 {
	return float64(uint32(m.ack-since.ack)) / m.seconds(since) / 1e6
}

// seconds returns the time since another mark, added up as mptcptrace does.
func (m rateMark) seconds(since rateMark) float64 {
	us := m.at - since.at
	return float64(us/1e6) + float64(us%1e6)/1e6
}

// add calls emit with each rate that follows from a DATA_ACK, in MB/s, and its colour. Colour 1
// is the rate over a bucket of ten DATA_ACKs, when it is full. Colour 2 is the rate since the
// first DATA_ACK, colour 3 the rate over the latest nine. A DATA_ACK that acknowledges nothing
// new gives no rate.
func (g *goodput) add(ack seq.Wire, at int64, emit func(colour int, v float64)) {
	now := rateMark{ack, at}
	if !g.begun {
		g.begun, g.first, g.oldest, g.ring[0], g.next = true, now, now, now, 1
		return
	}
	latest := g.ring[(g.next+goodputAcks-1)%goodputAcks]
	if !latest.ack.Less(ack) || !g.oldest.ack.Less(ack) {
		return
	}
	if g.bucket == goodputAcks {
		g.full = true
		emit(1, now.rate(g.oldest))
		g.bucket, g.oldest = 0, now
	} else {
		g.bucket++
	}
	g.ring[g.next] = now
	if g.full || g.bucket > 0 {
		g.acked += uint64(uint32(ack - latest.ack))
		emit(2, float64(g.acked)/now.seconds(g.first)/1e6)
	}
	g.next = (g.next + 1) % goodputAcks
	if g.full {
		emit(3, now.rate(g.ring[g.next]))
	}
}
