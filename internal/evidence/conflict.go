package evidence

import (
	"fmt"
	"math"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
)

// checked is a field of a socket that is compared with the packets. The first ones are counters.
type checked = counter

const (
	roundTrip checked = numCounters
	numFields         = numCounters + 1
)

// fieldNames are the names that the kernel gives the fields.
var fieldNames = [numFields]string{"bytes_sent", "data_segs_out", "bytes_acked", "bytes_received", "rtt"}

// leastConflicts is how many rows must contradict the packets. One may have been read while the
// kernel wrote it.
const leastConflicts = 2

// conflicts notes in which fields the rows of a socket contradict the packets. Nothing is
// noted where packets are missing from the capture.
func (w *watch) conflicts(a *aligned, s *conn.Subflow) {
	if gaps, _, _ := w.c.Gaps(); !a.here || !a.whole || len(gaps) > 0 {
		return
	}
	for k := range numFields {
		c := report.Warning{Code: WarnConflict}
		for i := range a.spans {
			kernel, packets, no := a.contradicts(i, k)
			if !no {
				continue
			}
			if c.Count++; c.Count == 1 {
				row := a.socket.kept[i].at
				c.File = &row.File.Path
				c.Message = fmt.Sprintf("%s, line %d: %s of the subflow %s-%s is %.7g, and that of the packets %.7g", row.File.Path, row.Line, fieldNames[k], s.Ends[conn.A].AddrPort(), s.Ends[conn.B].AddrPort(), kernel, packets)
			}
		}
		if c.Count < leastConflicts || k == roundTrip && 2*c.Count < int64(len(a.spans)) {
			continue
		}
		a.disproved |= 1 << k
		a.socket.of.conflict(k, c)
	}
}

// conflict notes a field in which rows contradict the packets of the same host, where no rule explains the
// difference: the first row, and how many there are.
func (h *host) conflict(k checked, c report.Warning) {
	c.Count += h.conflicts[k].Count
	if h.conflicts[k].Count > 0 {
		c.Message, c.File = h.conflicts[k].Message, h.conflicts[k].File
	}
	h.conflicts[k] = c
}

// contradicts reports whether a field of a row contradicts the packets, with both values.
//
// Sent bytes and segments above those of the packets are no contradiction: a queue of the host
// drops some. Neither are rows that were read when the capture had ended, nor the byte of a FIN,
// nor round trips that are longer than those of the packets, which are captured behind the queue.
func (a *aligned) contradicts(i int, k checked) (kernel, packets float64, no bool) {
	s, row := &a.spans[i], &a.socket.kept[i]
	if s.lo == math.MinInt64 || s.lo > s.hi {
		return 0, 0, false
	}
	if k == roundTrip {
		kernel, packets = float64(row.srtt), float64(s.srtt)
		return kernel, packets, kernel > 0 && packets > 0 && a.socket.tallies.of("sent").n >= leastRows && packets-kernel > max(srttMS, srttPart*packets)
	}
	v := row.v[k]
	if v < 0 || s.equal&(1<<k) != 0 || !a.timedBy(i, k) {
		return 0, 0, false
	}
	had := s.packets[k]
	kernel, packets = float64(v), float64(had)
	switch k {
	case sentBytes, sentSegments:
		return kernel, packets, v < had
	default:
		return kernel, packets, v+1 < a.now[k] && max(v-had, had-v) > 1 // the packets passed the value and never had it
	}
}

// timedBy reports whether another counter of a row than k has the value of the packets.
func (a *aligned) timedBy(i int, k counter) bool {
	for other := range numCounters {
		if other != k && a.socket.kept[i].v[other] > 1 && a.spans[i].equal&(1<<other) != 0 {
			return true
		}
	}
	return false
}

// conflictWarnings returns the warnings on fields that contradict the packets.
func (h *host) conflictWarnings() (out []report.Warning) {
	for k, c := range h.conflicts {
		if c.Count > 0 {
			c.Message += fmt.Sprintf("; %d such rows. No verdict uses %s of these sockets", c.Count, fieldNames[k])
			out = append(out, c)
		}
	}
	return out
}
