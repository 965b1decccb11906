package diagnose

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/seq"
)

// rebindings judges subflows that went on from another port or address: a translator (NAT) on the
// way forgot the mapping and made a new one, which the peer does not know.
func (j *judge) rebindings() {
	for i, s := range j.subflows() {
		if !s.Sub.NoSYN {
			continue
		}
		for k, old := range j.subflows()[:i] {
			if moved, ok := continues(old, s); ok && s.Sub.Senders[moved].Bytes > 0 && j.unknown(s, moved) {
				j.rebound(k, i, moved)
				break
			}
		}
	}
}

// continues reports whether a subflow is an earlier one under another address or port of one
// side, which it returns: the sequence numbers go on where the other one ended.
func continues(old, s *metrics.Sub) (moved conn.Side, ok bool) {
	for _, side := range sides {
		same := old.Sub.Ends[side.Other()] == s.Sub.Ends[side.Other()]
		if same && old.Sub.Ends[side] != s.Sub.Ends[side] && s.Sub.Start > old.Sub.Last() {
			return side, goesOn(old, s, side)
		}
	}
	return 0, false
}

// goesOn reports whether the sequence numbers of a side on s go on where old ended. Mappings tell
// the initial sequence number, which is then the same. Else the first packet of s is the next one of
// old, or repeats what was not acknowledged there, or the last byte as a keep-alive does.
func goesOn(old, s *metrics.Sub, side conn.Side) bool {
	before, now := &old.Sub.Senders[side], &s.Sub.Senders[side]
	isn, _ := before.ISN()
	start, told := now.ISN()
	if told {
		return start == isn
	}
	at := int64(int32(start + 1 - isn - seq.Wire(before.SndUna()))) // from SND.UNA on
	return at >= -1 && at <= int64(before.SndNxt()-before.SndUna())
}

// unknown reports whether the peer of the side that moved does not know the subflow: it reset it
// or never answered.
func (j *judge) unknown(s *metrics.Sub, moved conn.Side) bool {
	if s.Reset.Seen() {
		return s.Reset.From != moved
	}
	return s.Sub.Senders[moved.Other()].Packets == 0 && !j.early(s.Sub.ID, s.Sub.Start, "rebound")
}

// rebound enters the verdict on subflow old, which goes on as subflow now.
func (j *judge) rebound(old, now int, moved conn.Side) {
	s, form := j.m.Subs[now], ""
	if s.Reset.Seen() {
		form = "reset"
	}
	end := func(sub int) *report.Endpoint {
		return report.Either(directionOf(moved), &j.c.Subflows[sub].A, &j.c.Subflows[sub].B)
	}
	x, y := end(now), end(old)
	v := j.add(report.VerdictRebinding, report.Critical, form, word("by", side(moved)), word("peer", side(moved.Other())), counted("port", "", x.Port), counted("old_port", "", y.Port),
		lasted("silence", "time without a packet", s.Sub.Start-j.m.Subs[old].Sub.Last()), j.packet("RST in answer", s.Reset.PacketRef, now))
	if x.Addr != y.Addr {
		enter(v, word("address", x.Addr), word("old_address", y.Addr))
	}
	v.Subflow = subflowID(old)
	j.moved = append(j.moved, now)
}
