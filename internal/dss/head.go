package dss

import "mpanalyze/internal/seq"

// Head returns the chunk with the lowest data that is not DATA_ACKed, nil
// where every chunk is. It is valid until the next packet.
//
// As a rule it is on the lane where it was at the latest call, and begins where
// the DATA_ACK ends, so that no other can be lower.
func (sp *Space) Head() *Chunk {
	if l := sp.headLane; l != nil {
		if c := l.unacked(sp.ack); c != nil && c.Data.Start <= sp.ack {
			return c
		}
	}
	var head *Chunk
	for _, l := range sp.lanes {
		if c := l.unacked(sp.ack); c != nil && (head == nil || c.Data.Start < head.Data.Start) {
			head, sp.headLane = c, l
		}
	}
	return head
}

// unacked returns the lane's chunk with the lowest data at or above ack; nil for
// none.
func (l *Lane) unacked(ack seq.DSN) *Chunk {
	for i := l.nextAcked; i < len(l.chunks); i++ {
		if c := &l.chunks[i]; c.DataAcked == 0 && c.Data.End > ack {
			return c
		}
	}
	return nil
}
