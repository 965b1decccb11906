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

// Bounds within which the smoothed round-trip times of a row and of the packets agree.
const (
	srttPart = 0.02
	srttMS   = 0.1
)

// beside returns a field of the i-th row, below 0 if the row does not have it, beside that of the packets at the time of
// the row. They are the same if the packets had the value of a counter at any time.
func (a *aligned) beside(i int, k checked) (kernel, packets float64, same bool) {
	s, row := &a.spans[i], &a.socket.kept[i]
	switch {
	case k == roundTrip:
		kernel, packets = float64(row.srtt), float64(s.srtt)
		return kernel, packets, math.Abs(kernel-packets) <= max(srttMS, srttPart*packets)
	case s.equal&(1<<k) != 0:
		return float64(row.v[k]), float64(row.v[k]), true
	}
	return float64(row.v[k]), float64(s.packets[k]), false
}

// agreement compares the rows with the packets. A congestion window agrees if what the packets have in flight fits
// into it.
func (a *aligned) agreement() *report.Agreement {
	out, sum, n := &report.Agreement{}, 0.0, 0
	for i := range a.spans {
		s, row := &a.spans[i], &a.socket.kept[i]
		timed := s.lo != math.MinInt64
		for k, to := range [...]*report.Agreeing{sentBytes: &out.BytesSent, sentSegments: &out.DataSegmentsSent, ackedBytes: &out.BytesAcked} {
			if kernel, packets, same := a.beside(i, checked(k)); kernel >= 0 {
				agree(to, s.equal != 0, same, kernel-packets)
			}
		}
		if kernel, packets, same := a.beside(i, roundTrip); kernel != 0 {
			agree(&out.SRTT.Agreeing, timed && packets != 0, same, kernel-packets)
			if timed && packets != 0 {
				sum, n = sum+(kernel-packets), n+1
			}
		}
		if row.cwnd != 0 {
			over := max(0, float64(s.flight)/float64(row.mss)-float64(row.cwnd))
			agree(&out.Cwnd, timed && row.mss != 0, over < 1, -over)
		}
	}
	if n > 0 {
		out.SRTT.KernelMinusPackets = new(sum / float64(n))
	}
	return out
}

// agree counts a row that has a field; off is the kernel's value less that of the packets, if these have it, too.
func agree(to *report.Agreeing, timed, same bool, off float64) {
	to.Rows++
	if !timed {
		return
	}
	to.Differ(off)
	to.Agree += one(same)
}

// leastConflicts is how many rows must contradict the packets. One may have been read while the
// kernel wrote it.
const leastConflicts = 2

// conflicts notes in which fields the rows of a socket contradict the packets. Nothing is
// noted where packets are missing from the capture. Of a host it keeps the first such row of each field.
func (w *watch) conflicts(a *aligned, s *conn.Subflow) {
	if gaps, _, _ := w.c.Gaps(); !a.here || !a.whole || len(gaps) > 0 {
		return
	}
	for k := range numFields {
		n, first := int64(0), report.Warning{Code: WarnConflict}
		for i := range a.spans {
			if kernel, packets, no := a.contradicts(i, k); no {
				if n++; n == 1 {
					row := a.socket.kept[i].at
					first.File = &row.File.Path
					first.Message = fmt.Sprintf("%s, line %d: %s of the subflow %s-%s is %.7g, and that of the packets %.7g", row.File.Path, row.Line, fieldNames[k], s.Ends[conn.A].AddrPort(), s.Ends[conn.B].AddrPort(), kernel, packets)
				}
			}
		}
		if n < leastConflicts || k == roundTrip && 2*n < int64(len(a.spans)) {
			continue
		}
		a.disproved |= 1 << k
		of := &a.socket.of.conflicts[k]
		if of.Count == 0 {
			*of = first
		}
		of.Count += n
	}
}

// contradicts reports whether a field of a row contradicts the packets, with both values.
//
// Sent bytes and segments above those of the packets are no contradiction: a queue of the host
// drops some. Neither are rows that were read when the capture had ended, nor the byte of a FIN,
// nor round trips that are longer than those of the packets, which are captured behind the queue.
func (a *aligned) contradicts(i int, k checked) (kernel, packets float64, no bool) {
	s := &a.spans[i]
	kernel, packets, same := a.beside(i, k)
	switch {
	case same, s.lo == math.MinInt64, s.lo > s.hi:
		return kernel, packets, false
	case k == roundTrip:
		return kernel, packets, kernel > 0 && packets > kernel && a.socket.figures.of("sent").n >= leastRows
	case k == sentBytes, k == sentSegments:
		no = kernel < packets
	default:
		no = kernel+1 < float64(a.now[k]) && math.Abs(kernel-packets) > 1 // the packets passed the value and never had it
	}
	_, timed := a.proven(i, k) // by another counter
	return kernel, packets, no && kernel >= 0 && timed
}
