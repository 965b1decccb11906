package mutate

import (
	"slices"
	"time"
)

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
