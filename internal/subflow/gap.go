package subflow

import (
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// Stamp is a packet of the capture: its number and its time in ns. The number is 0 for none.
type Stamp struct {
	Packet uint64
	Time   int64
}

func stampOf(s *packet.Segment) Stamp { return Stamp{s.Num, s.Time} }

// Seen reports whether there is such a packet.
func (r Stamp) Seen() bool { return r.Packet != 0 }

// First sets r to a packet, if it is none.
func (r *Stamp) First(to Stamp) {
	if !r.Seen() {
		*r = to
	}
}

// Restart sets r to a packet, unless it is none: a time that is open since r begins anew.
func (r *Stamp) Restart(to Stamp) {
	if r.Seen() {
		*r = to
	}
}

// Gap is a part of the stream that was acknowledged and is not in the capture.
type Gap struct {
	Bytes int64 // without the FIN, if that is what is missing
	// The packets of the data passed between these two: the latest payload or SYN that came
	// before the part, and the first packet that shows that it is missing. Before is none where
	// the capture began later than the part was sent.
	Before, After Stamp
}

// MissedUntil notes that packets of the connection are missing from the capture up to time t, ns.
// Data that was sent before gives no sample, because its acknowledgment may be one of them.
func (snd *Sender) MissedUntil(t int64) { snd.missedUntil = t }

// noteGaps notes the parts of the stream below ack that are newly acknowledged by packet s and
// were not captured. A time that is measured with this packet would be too long, because
// packets before it are missing.
func (snd *Sender) noteGaps(ack seq.SSN, s *packet.Segment, out *Ack) {
	acked := seq.Range[seq.SSN]{Start: snd.sndUna, End: ack}
	if snd.sndUna == 0 && snd.opened && s.Flags&packet.SYN == 0 { // the SYN/ACK is missing
		out.Gaps = append(out.Gaps, Gap{})
	}
	for x := range snd.holes.list.From(snd.holes.find(acked.Start)) {
		if x.Start >= ack {
			break
		}
		out.Gaps = append(out.Gaps, Gap{x.Intersect(acked).Len(), x.before, x.after})
	}
	if ack > snd.sndNxt {
		missing := int64(ack - max(snd.sndNxt, acked.Start))
		if !snd.finSeen { // the last position may be that of the FIN
			missing--
		}
		out.Gaps = append(out.Gaps, Gap{missing, snd.latestNew, stampOf(s)})
	}
}
