package account

// order finds the subflow that the next data in order waits for, as a capture away from the sender
// shows it: the one that brings it, or, as long as that is known, the one that it was sent on.
type order struct {
	rcvNxt   int64 // end of the data without a gap
	advanced int64 // when it last advanced
	carrier  int   // the subflow on which the data that is missing was sent; valid with since
	since    int64 // since when that is known; 0 = it is not
}

func (x *order) begin(now int64) { x.advanced = now }

// ordered takes the place of payload in the order of the data.
func (r *Remote) ordered(id int, now int64, p *Data) {
	x := &r.order
	if p.RcvNxt > x.rcvNxt {
		r.waited(id)
		x.rcvNxt, x.advanced, x.since = p.RcvNxt, now, 0
	}
	if p.RcvNxt < p.SndNxt && x.since == 0 && p.DataEnd > p.RcvNxt {
		if at := r.carrierOf(p.RcvNxt); at >= 0 {
			x.carrier, x.since = at, now
			if r.AtReceiver {
				r.subs[at].misses(now)
			}
		}
	}
}

// waited takes the subflow that the data waited for since the latest advance, up to the time since
// which the carrier is known.
func (r *Remote) waited(id int) {
	r.waitsFor(r.order.advanced, id)
	if r.order.since > r.order.advanced {
		r.waitsFor(r.order.since, r.order.carrier)
	}
}

// carrierOf returns the subflow on which the data at a position, which is missing, was sent;
// negative where several are possible. Each subflow keeps the order, and new data leaves in the
// order of its numbers. So a subflow that brought higher data, and has no hole, did not carry it.
func (r *Remote) carrierOf(data int64) int {
	found := -1
	for _, s := range r.opened {
		switch {
		case s.away.dataEnd > data && !s.away.hole:
		case found >= 0:
			return -1
		default:
			found = s.id
		}
	}
	return found
}

// close takes the end: after the latest data in order it is not known what the next data waits for,
// unless there is one subflow only.
func (r *Remote) close() {
	last := -1
	if len(r.opened) == 1 {
		last = r.opened[0].id
	}
	r.waited(last)
}
