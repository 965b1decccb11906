package metrics

import (
	"cmp"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/report"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/stats"
)

// burstUnit derives bursts: the runs of consecutive data sequence numbers on one
// subflow.
var burstUnit = &unit{
	key:    "bursts",
	family: catalogue.FamilyOrder,
	meter:  hasBursts,
	report: new(burstMeter),
}

// Bursts are the runs of consecutive data sequence numbers on one subflow.
type Bursts struct {
	Bytes    stats.Dist
	Duration stats.Dist // ms
}

type burstMeter struct {
	nop
	subs perSub[Bursts]

	// The open burst.
	on          *SubflowDir // the subflow that carries it; nil for no burst
	start, end  seq.DSN
	first, last int64 // ns
}

func (x *burstMeter) renew(*DataDir) { *x = burstMeter{subs: x.subs.renewed((*Bursts).reset)} }

func (b *Bursts) reset() {
	b.Bytes.Reset()
	b.Duration.Reset()
}

// piece takes a piece of payload. A retransmission on the same subflow neither belongs
// to a burst nor ends it.
func (x *burstMeter) piece(s *SubflowDir, p *dss.Piece, now int64) {
	switch {
	case p.Kind == dss.Retransmission:
	case s == x.on && p.Data.Start == x.end:
		x.end, x.last = p.Data.End, max(x.last, now) // data whose mapping came late has the time at which it passed
	default:
		x.close(now)
		x.on, x.start, x.end, x.first, x.last = s, p.Data.Start, p.Data.End, now, now
	}
}

// outside ends the burst, so that no burst extends beyond the time that is looked at.
func (x *burstMeter) outside() { x.close(0) }

// close ends the burst.
func (x *burstMeter) close(int64) {
	if x.on != nil {
		b := x.subs.of(x.on)
		b.Bytes.Add(float64(x.end - x.start))
		b.Duration.Add(ms(x.last - x.first))
		x.on = nil
	}
}

// Bursts returns the bursts on the subflow.
func (s *SubflowDir) Bursts() *Bursts { return cmp.Or(s.dir.bursts, noDir.bursts).subs.at(s.id) }

func (*burstMeter) reportSubflow(v *view, out *report.SubDir) {
	b := v.sub.Dir(v.from).Bursts()
	switch {
	case v.cut != "":
		v.Set("bursts", v.cut)
	case b.Bytes.N() == 0:
		v.Set("bursts", v.nothing())
	default:
		out.Bursts = v.Mem.Bursts.Of(report.Bursts{
			Count: b.Bytes.N(), Bytes: v.Stat("bursts.bytes", &b.Bytes, report.Observed, ""), DurationMS: v.Stat("bursts.duration_ms", &b.Duration, report.Observed, ""),
		})
	}
}
