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

// comparison is a field of a row beside that of the packets at the time of the row.
type comparison struct {
	printed bool    // the row has the field
	timed   bool    // the packets have it, too
	agrees  bool    // they are equal, within what they may be off
	off     float64 // kernel less packets
}

// agreement compares the rows with the packets. A counter agrees if the packets had its value at any time,
// and a congestion window if what the packets have in flight fits into it.
func (a *aligned) agreement() *report.Agreement {
	out := &report.Agreement{}
	for k, to := range map[counter]*report.Agreeing{sentBytes: &out.BytesSent, ackedBytes: &out.BytesAcked, sentSegments: &out.DataSegmentsSent} {
		a.agree(to, func(s *span, row *kept) comparison {
			if s.equal&(1<<k) != 0 {
				return comparison{printed: row.v[k] >= 0, timed: true, agrees: true}
			}
			return comparison{row.v[k] >= 0, s.equal != 0, false, float64(row.v[k] - s.packets[k])}
		})
	}
	out.SRTT.KernelMinusPackets = a.agree(&out.SRTT.Agreeing, func(s *span, row *kept) comparison {
		off := float64(row.srtt) - float64(s.srtt)
		return comparison{row.srtt != 0, s.srtt != 0 && s.lo != math.MinInt64, math.Abs(off) <= max(srttMS, srttPart*float64(s.srtt)), off}
	})
	a.agree(&out.Cwnd, func(s *span, row *kept) comparison {
		over := max(0, float64(s.flight)/float64(row.mss)-float64(row.cwnd))
		return comparison{row.cwnd != 0, row.mss != 0 && s.lo != math.MinInt64, over < 1, -over}
	})
	return out
}

// agree compares a field of all rows. It returns the mean difference; nil if no row could be compared.
func (a *aligned) agree(to *report.Agreeing, compare func(*span, *kept) comparison) *float64 {
	sum, n := 0.0, 0
	for i := range a.spans {
		c := compare(&a.spans[i], &a.socket.kept[i])
		if !c.printed {
			continue
		}
		to.Rows++
		if !c.timed {
			continue
		}
		sum, n = sum+c.off, n+1
		to.Differ(c.off)
		if c.agrees {
			to.Agree++
		}
	}
	if n == 0 {
		return nil
	}
	return new(sum / float64(n))
}
