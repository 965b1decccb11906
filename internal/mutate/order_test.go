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

// shift adds to all times from a packet on.
func (m *Mutation) shift(from int, by time.Duration) {
	for i := from; i < len(m.Packets); i++ {
		m.Packets[i].Time += int64(by)
	}
}

// begin returns the time of the first packet.
func (m *Mutation) begin() time.Duration {
	if len(m.Packets) == 0 {
		return 0
	}
	return time.Duration(m.Packets[0].Time)
}

// place returns the index of a packet.
func (m *Mutation) place() int { return m.R.IntN(max(1, len(m.Packets))) }

const (
	second = time.Second
	year   = 365 * 24 * time.Hour
)

// timesZero lets a packet have the time 0: the first one, another one, or all.
func timesZero(m *Mutation) {
	switch m.R.IntN(3) {
	case 0:
		m.shift(0, -m.begin())
	case 1:
		m.shift(0, -time.Duration(m.Packets[m.place()].Time))
	default:
		for i := range m.Packets {
			m.Packets[i].Time = 0
		}
	}
}

func timesBackwards(m *Mutation) {
	for i, j := 0, len(m.Packets)-1; i < j; i, j = i+1, j-1 {
		m.Packets[i].Time, m.Packets[j].Time = m.Packets[j].Time, m.Packets[i].Time
	}
}

func timesEqual(m *Mutation) {
	at := m.place()
	for i := at; i < len(m.Packets) && i < at+1+m.R.IntN(100); i++ {
		m.Packets[i].Time = m.Packets[at].Time
	}
}

// oneLate gives one packet a time that is too late, or writes it into the file too late.
func oneLate(m *Mutation) {
	if len(m.Packets) < 2 {
		return
	}
	at := m.place()
	if m.R.IntN(2) == 0 {
		m.Packets[at].Time += int64(m.wait())
		return
	}
	p := m.Packets[at]
	m.Packets = slices.Insert(slices.Delete(m.Packets, at, at+1), at+m.R.IntN(len(m.Packets)-at), p)
}

// wait returns a time of a microsecond to some hours.
func (m *Mutation) wait() time.Duration {
	return time.Duration(1+m.R.Int64N(9)) * oneOf(m.R, time.Microsecond, time.Millisecond, 100*time.Millisecond, time.Second, time.Hour)
}
