package pair

// reinjection is data that was sent on another subflow too.
type reinjection struct {
	dataRange
	lane   *lane // of the copy
	first  int64 // when either was first seen to arrive; 0 = not yet
	byCopy bool
}

const maxReinjections = 1 << 12

// again takes data that was sent on another subflow before.
func (d *pairedData) again(data dataRange, l *lane) {
	if d.there.covers(data) {
		d.OriginalFirst += data.Len() // its margin is not known
		return
	}
	if len(d.copies) >= maxReinjections {
		d.copies = d.copies[:copy(d.copies, d.copies[maxReinjections/2:])]
	}
	d.copies = append(d.copies, reinjection{dataRange: data, lane: l})
}

// decides holds data that arrived against what was sent twice.
func (d *pairedData) decides(r dataRange, on *lane, now int64) {
	for i := 0; i < len(d.copies); i++ {
		c := &d.copies[i]
		if !c.Overlaps(r) {
			continue
		}
		if c.first == 0 {
			c.first, c.byCopy = now, c.lane == on
			if n := c.Intersect(r).Len(); c.byCopy {
				d.CopyFirst += n
			} else {
				d.OriginalFirst += n
			}
			continue
		}
		if c.byCopy != (c.lane == on) {
			d.Lead.Add(ms(now - c.first))
			d.copies = append(d.copies[:i], d.copies[i+1:]...)
			i--
		}
	}
}
