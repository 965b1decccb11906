package mutate

import (
	"slices"
	"time"
)

// twice repeats packets after a wait, with another time to live or not.
func twice(m *Mutation) {
	share := oneOf(m.R, 0.02, 0.3, 1)
	wait := oneOf(m.R, 0, time.Microsecond, 2*time.Millisecond, 300*time.Millisecond)
	hop := byte(m.R.IntN(2))
	for _, p := range slices.Clone(m.Packets) {
		if m.R.Float64() >= share {
			continue
		}
		p = p.clone()
		p.Time += int64(wait)
		if h, ok := find(m.Link, &p); ok && !h.v6 {
			p.Frame[h.ip+8] -= hop
		}
		m.Packets = append(m.Packets, p)
	}
	m.sort()
}

func lost(m *Mutation) {
	share := oneOf(m.R, 0.01, 0.1, 0.5)
	if m.R.IntN(3) == 0 { // a gap
		at := m.place()
		m.Packets = slices.Delete(m.Packets, at, min(len(m.Packets), at+1+m.R.IntN(60)))
		return
	}
	m.Packets = slices.DeleteFunc(m.Packets, func(Packet) bool { return m.R.Float64() < share })
}

// reordered exchanges packets with later ones, with their times or without.
func reordered(m *Mutation) {
	times := m.R.IntN(2) == 0
	for range 1 + m.R.IntN(20) {
		i := m.place()
		j := min(len(m.Packets)-1, i+1+m.R.IntN(10))
		if j <= i {
			continue
		}
		m.Packets[i], m.Packets[j] = m.Packets[j], m.Packets[i]
		if times {
			m.Packets[i].Time, m.Packets[j].Time = m.Packets[j].Time, m.Packets[i].Time
		}
	}
}

func oneDirection(m *Mutation) {
	greater := m.R.IntN(2) == 0
	m.Packets = slices.DeleteFunc(m.Packets, func(p Packet) bool {
		h, ok := find(m.Link, &p)
		if !ok {
			return false
		}
		b := h.bytes()
		return (slices.Compare(b[:2], b[2:4]) > 0) == greater
	})
}

// appended sets another capture behind this one: with its own times, or after a pause.
func appended(m *Mutation) {
	other := m.Other()
	if other.Link != m.Link || len(other.Packets) == 0 {
		other = &Capture{Packets: slices.Clone(m.Packets)}
	}
	last, by := m.begin(), int64(0)
	if n := len(m.Packets); n > 0 {
		last = time.Duration(m.Packets[n-1].Time)
	}
	if m.R.IntN(2) == 0 && len(other.Packets) > 0 {
		by = int64(last+m.wait()) - other.Packets[0].Time
	}
	for _, p := range other.Packets {
		p = p.clone()
		p.Time += by
		m.Packets = append(m.Packets, p)
	}
}

// interleaved puts another capture, of the same time, between the packets.
func interleaved(m *Mutation) {
	own := len(m.Packets)
	appended(m)
	if own == 0 || own == len(m.Packets) {
		return
	}
	by := m.Packets[0].Time - m.Packets[own].Time
	for i := own; i < len(m.Packets); i++ {
		m.Packets[i].Time += by
	}
	m.sort()
}
