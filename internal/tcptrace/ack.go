package tcptrace

import "mpanalyze/internal/seq"

// ackKind is what an acknowledgment is to tcptrace.
type ackKind uint8

const (
	ackPlain     ackKind = iota
	ackCumul             // of several pieces at once, or a duplicate
	ackTriple            // the third duplicate
	ackAmbiguous         // of a piece that was sent twice
	ackNoSample          // of a piece that was sent before another that lies below it
)

// acked takes an acknowledgment up to ack of what d sent; duplicate says that
// the packet can be a duplicate ACK. The round-trip sample, if it gives one, is
// in us; else it is 0.
func (d *Direction) acked(ack seq.Wire, now int64, duplicate bool) (kind ackKind, rtt int64) {
	before, here, _ := d.space.at(ack)
	latest := int64(0) // transmission of what lies below, us
	changed := false
	for i := range *before {
		if p := &(*before)[i]; p.acked == 0 {
			p.acked, changed = 1, true
			d.CumAcked++
			latest = max(latest, p.sent)
		}
	}
	if changed {
		before.join()
	}
	changed = false
	for i := range *here {
		p := &(*here)[i]
		if ack <= p.first {
			break
		}
		latest = max(latest, p.sent)
		exact := ack == p.last+1
		switch {
		case p.acked > 0:
			if k, yes := d.ackedAgain(p, exact && duplicate); yes {
				kind = k
			}
			continue
		case exact:
			kind, rtt = d.sample(p, now, latest > p.sent)
		default:
			d.CumAcked++
			kind = ackCumul
		}
		p.acked++
		changed = true
	}
	if changed {
		here.join()
	}
	return kind, rtt
}

// ackedAgain takes an ACK that covers a piece acknowledged before.
func (d *Direction) ackedAgain(p *piece, duplicate bool) (kind ackKind, yes bool) {
	if !duplicate {
		p.acked = 1
		return 0, false
	}
	d.DupAcks++
	p.acked++
	if p.acked == 4 {
		d.TripleDupAcks++
		return ackTriple, true
	}
	return ackCumul, true
}

// sample takes the round trip that the acknowledgment of exactly p closes;
// overtaken says that something below p was sent after it, so that the time
// says nothing.
func (d *Direction) sample(p *piece, now int64, overtaken bool) (ackKind, int64) {
	rtt := elapsed(p.sent, now)
	d.lastRTT = 0
	switch {
	case overtaken:
		d.PostLossAcks++
		return ackNoSample, 0
	case p.again > 0:
		d.RTTLast.add(float64(rtt))
		return ackAmbiguous, 0
	}
	d.lastRTT = rtt
	d.RTT.add(float64(rtt))
	if size := p.size(); size > d.fullSize {
		d.fullSize, d.RTTFull = size, moments{}
	}
	if p.size() == d.fullSize {
		d.RTTFull.add(float64(rtt))
	}
	return ackPlain, rtt
}

// resent takes the time since the latest transmission of a piece that is sent
// again.
func (d *Direction) resent(p *piece, now int64) {
	if p.acked > 0 {
		return
	}
	d.MaxRetrans = max(d.MaxRetrans, int64(p.again))
	d.RetransTime.add(float64(elapsed(p.sent, now)))
}

// elapsed returns the us from a to b, 0 where b is earlier.
func elapsed(a, b int64) int64 { return max(0, b-a) }
