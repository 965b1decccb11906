package pair

// maxTrail bounds the readings of a trail.
const maxTrail = 1024

// reading is a delay at a time, ns.
type reading struct{ t, d int64 }

// trail is the least delay of every so many packets in turn. Runs of equally
// many packets, not of equal times, so that their least delays resemble one
// another: the least of few lies higher than that of many.
type trail struct {
	list []reading // bounded by maxTrail
	size int       // packets per reading
	n    int       // packets in the last reading so far
	last int64     // its delay: most packets are compared with it and change nothing
}

func (s *trail) add(t, d int64) {
	if s.n < s.size && d >= s.last {
		s.n++
		return
	}
	s.lower(t, d)
}

// lower takes a delay that changes the last reading, or begins the next one.
func (s *trail) lower(t, d int64) {
	if s.n < s.size {
		s.n++
		s.last = d
		s.list[len(s.list)-1] = reading{t, d}
		return
	}
	if len(s.list) >= maxTrail {
		s.halve()
	}
	s.list = append(s.list, reading{t, d})
	s.size = max(s.size, 1)
	s.n, s.last = 1, d
}

// halve joins two readings each.
func (s *trail) halve() {
	half := s.list[:0]
	for i := 0; i+1 < len(s.list); i += 2 {
		x := s.list[i]
		if y := s.list[i+1]; y.d < x.d {
			x = y
		}
		half = append(half, x)
	}
	s.list = half
	s.size *= 2
}
