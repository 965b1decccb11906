package evidence

import (
	"math"

	"mpanalyze/internal/report"
)

// Bounds within which the smoothed round-trip times of a row and of the packets agree.
const (
	srttPart = 0.02
	srttMS   = 0.1
)

// agreement compares the rows with the packets.
func (a *aligned) agreement() *report.Agreement {
	out := &report.Agreement{}
	a.agreeCounter(sentBytes, &out.BytesSent)
	a.agreeCounter(ackedBytes, &out.BytesAcked)
	a.agreeCounter(sentSegments, &out.DataSegmentsSent)
	a.agreeSRTT(&out.SRTT)
	a.agreeCwnd(&out.Cwnd)
	return out
}

// agreeCounter compares a counter: it is equal if the packets had the value of the row at any
// time.
func (a *aligned) agreeCounter(k counter, to *report.Agreeing) {
	for i := range a.spans {
		s, v := &a.spans[i], a.socket.kept[i].v[k]
		if v < 0 {
			continue
		}
		to.Rows++
		if s.equal&(1<<k) != 0 {
			to.Agree++
			to.Differ(0)
		} else if s.equal != 0 {
			to.Differ(float64(v - s.packets[k]))
		}
	}
}

// agreeSRTT compares smoothed round-trip times.
func (a *aligned) agreeSRTT(to *report.AgreeingSRTT) {
	sum, n := 0.0, 0
	for i := range a.spans {
		s, kernel := &a.spans[i], float64(a.socket.kept[i].srtt)
		if kernel == 0 {
			continue
		}
		to.Rows++
		if s.srtt == 0 || s.lo == math.MinInt64 {
			continue
		}
		off := kernel - float64(s.srtt)
		sum, n = sum+off, n+1
		to.Differ(off)
		if math.Abs(off) <= max(srttMS, srttPart*float64(s.srtt)) {
			to.Agree++
		}
	}
	if n > 0 {
		to.KernelMinusPackets = new(sum / float64(n))
	}
}

// agreeCwnd checks that what the packets have in flight fits into the window.
func (a *aligned) agreeCwnd(to *report.Agreeing) {
	for i := range a.spans {
		s, row := &a.spans[i], &a.socket.kept[i]
		if row.cwnd == 0 {
			continue
		}
		to.Rows++
		if s.lo == math.MinInt64 || row.mss == 0 {
			continue
		}
		over := max(0, float64(s.flight)/float64(row.mss)-float64(row.cwnd))
		to.Differ(-over)
		if over < 1 {
			to.Agree++
		}
	}
}
