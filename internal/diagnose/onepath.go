package diagnose

import (
	"fmt"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
)

// onePath is a path that could have carried alone what all paths carried.
type onePath struct {
	subflow int
	most    float64 // the highest rate that it delivered, Mbit/s
	all     float64 // mean rate of the data of the direction, Mbit/s
}

// onePathWouldDo returns the quickest path if the most that it delivered over a second is the
// mean rate of all data, or more; ok is false if there is none, or its rate is not known.
func (j *judge) onePathWouldDo(from conn.Side) (p onePath, ok bool) {
	d := j.dir(from)
	if d.Goodput == nil {
		return p, false
	}
	p.all = d.Goodput.Avg
	for i, s := range j.subflows() {
		if mbps, known := s.Path(from).DeliveredRate(); known && mbps > p.most {
			p.subflow, p.most = i, mbps
		}
	}
	return p, p.most >= p.all && p.all > 0
}

// text says that one path would do.
func (p onePath) text(c *report.Connection) string {
	return fmt.Sprintf("; %s delivered up to %.3g Mbit/s, and all data came at %.3g Mbit/s on average: one path would do, and a second one helps only above %.3g Mbit/s",
		pathText(p.subflow, &c.Subflows[p.subflow]), p.most, p.all, p.most)
}
