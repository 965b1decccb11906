package tcptrace

import "mpanalyze/internal/seq"

// ackKind says how tcptrace classifies an acknowledgment.
type ackKind uint8

const (
	ackPlain     ackKind = iota
	ackCumul             // acknowledges several segments at once, or is a duplicate
	ackTriple            // the third duplicate
	ackAmbiguous         // acknowledges a segment that was sent more than once
	ackNoSample          // acknowledges a segment after which a lower segment was sent (again)
)

// acked counts an acknowledgment, up to ack, of data that d sent. duplicate says that the
// packet may be a duplicate ACK. rtt is the round-trip sample in us, or 0 if there is none.
func (d *SubflowDir) acked(ack seq.Wire, now int64, duplicate bool) (kind ackKind, rtt int64) {
	before, here, _ := d.space.at(ack)
	latest := int64(0) // latest transmission of a lower segment, us
	changed := false
	for i := range *before {
		if p := &(*before)[i]; p.acked == 0 {
			p.acked, changed = 1, true
			d.CumAcked++
			latest = max(latest, p.sent)
		}
	}
	if changed {
		before.collapse()
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
		here.collapse()
	}
	return kind, rtt
}

// ackedAgain counts an ACK of a segment that was acknowledged before.
func (d *SubflowDir) ackedAgain(p *segment, duplicate bool) (kind ackKind, yes bool) {
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

// sample counts the round-trip sample of a segment whose end is acknowledged. overtaken says
// that a lower segment was sent after it. Then the ACK waited for the lower segment, and the
// time is no round trip.
func (d *SubflowDir) sample(p *segment, now int64, overtaken bool) (ackKind, int64) {
	rtt := elapsed(p.sent, now)
	d.lastRTT = 0
	switch {
	case overtaken:
		d.PostLossAcks++
		return ackNoSample, 0
	case p.resent > 0:
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

// addRetransTime counts the time since the latest transmission of a segment that is sent
// again.
func (d *SubflowDir) addRetransTime(p *segment, now int64) {
	if p.acked > 0 {
		return
	}
	d.MaxRetrans = max(d.MaxRetrans, int64(p.resent))
	d.RetransTime.add(float64(elapsed(p.sent, now)))
}

// elapsed returns the time from a to b in us, or 0 if b is earlier.
func elapsed(a, b int64) int64 { return max(0, b-a) }
