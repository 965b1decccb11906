package symptoms

import "mpanalyze/internal/conn"

// deliver takes the bytes that a packet acknowledges first on any subflow, that of t. The paths reach their highest
// rates at different times, and some share a link. So the sum of those is more than what they
// deliver together.
func (d *DataDir) deliver(p *conn.Packet, bytes int64, t *Path) {
	if d.together == nil {
		if len(d.c.followed) < 2 {
			return
		}
		d.together = new(Delivered)
	}
	d.together.ack(&p.TCP.Ack, bytes, p.Seg.Time, t.SRTT)
}

// DeliveredRate returns the highest rate at which the receiver acknowledged data over a second
// or longer, of all paths together. ok is false where it is not known: see [Path.DeliveredRate].
func (d *DataDir) DeliveredRate() (mbps float64, ok bool) {
	if d.c == nil {
		return 0, false
	}
	for _, s := range d.c.followed {
		if t := s.Path(d.from); t.sender == nil || t.sender.Bytes == 0 {
			continue
		} else if mbps, ok = t.DeliveredRate(); !ok && t.lacksSACK() {
			return 0, false
		}
	}
	if d.together == nil {
		return mbps, ok
	}
	r, ok := d.together.Most()
	return r.Mbps(), ok
}
