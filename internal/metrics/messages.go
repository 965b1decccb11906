package metrics

import (
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/fill"
	"mpanalyze/internal/stats"
)

// messages are the bursts in which the application writes. A message ends at a pause in
// new data while no data is missing. By default the pause must be longer than leastGap
// and longer than two round trips of the slowest path, because a sender that has data
// but waits for acknowledgments is silent for one round trip.
type messages struct {
	bytes    stats.Dist
	duration stats.Dist // ms
	late     int64

	open    bool
	from    int64 // its first byte
	since   int64 // when the first byte arrived, ns
	newest  int64 // latest arrival of new data, ns
	highest int64 // end of all data that arrived
}

// leastGap is the least pause between messages by the default rule, ns.
const leastGap = 100e6

func (m *messages) reset() {
	*m = messages{bytes: m.bytes.Renewed(), duration: m.duration.Renewed()}
}

// arrive takes data that arrived for the first time. The end of the data in order
// before it is x.player.end.
func (m *messages) arrive(x *streamingMeter, r span, now int64) {
	if m.open && m.highest == x.player.end && r.start == x.player.end && m.pause(x.d, now-m.newest) {
		m.close(x)
	}
	if !m.open {
		m.open, m.from, m.since = true, r.start, now
	}
	m.from, m.highest, m.newest = min(m.from, r.start), max(m.highest, r.end), max(m.newest, now)
}

// pause reports whether a time without new data ends a message.
func (m *messages) pause(d *DataDir, lasted int64) bool {
	if gap := int64(d.m.k.cfg.Player.MessageGap); gap > 0 {
		return lasted >= gap
	}
	if lasted <= leastGap {
		return false
	}
	for _, sub := range d.m.inUse {
		if s := sub.Dir(d.from); s.HasSRTT() && !sub.Sub.Done() && float64(lasted) <= 2*s.est.SRTT {
			return false
		}
	}
	return true
}

// close ends a message, and counts it if it is whole.
func (m *messages) close(x *streamingMeter) {
	if m.open && x.player.begun && m.highest == x.player.end {
		took := x.player.latest - m.since
		m.bytes.Add(float64(m.highest - m.from))
		m.duration.Add(ms(took))
		if took > int64(x.d.m.k.cfg.Player.Playout) {
			m.late++
		}
	}
	m.open = false
}

func (m *messages) report(v *view, cfg *Player) *report.Messages {
	n := m.bytes.N()
	if n < 2 {
		v.Set("streaming.messages", "no pause divides the data into messages (--stream gap)")
		return nil
	}
	out := &report.Messages{
		Count: n, Late: m.late, LatePercent: 100 * float64(m.late) / float64(n),
		Bytes: fill.StatOf(&m.bytes, report.Observed), Duration: fill.StatOf(&m.duration, report.Observed),
	}
	if cfg.MessageGap > 0 {
		out.Gap = v.Float(ms(int64(cfg.MessageGap)))
	}
	return out
}
