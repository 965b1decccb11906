package dss

// Head returns the chunk with the lowest data that is not DATA_ACKed, nil
// where every chunk is. It is valid until the next packet.
func (sp *Space) Head() (head *Chunk) {
	for _, l := range sp.lanes {
		for i := l.nextAcked; i < len(l.chunks); i++ {
			c := &l.chunks[i]
			if c.DataAcked != 0 {
				continue
			}
			if head == nil || c.Data.Start < head.Data.Start {
				head = c
			}
			break
		}
	}
	return head
}
