package metrics

import (
	"cmp"
	"math"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/fill"
	"mpanalyze/internal/stats"
)

// delayUnit derives path_delay, waiting_time, hol_wait, protocol_delay,
// hol_degree, hol_blocking and hol_degree_all_paths (FI23, FED23).
var delayUnit = &unit{
	rows:   delayRows,
	series: []*Series{seriesPathDelay, seriesWaitingTime, seriesHoLWait, seriesProtocolDelay, seriesHoLDegree, seriesHoLBlocking, seriesHoLDegreeAllPaths},
	family: catalogue.FamilyDelays,
	meter:  hasDelays,
	report: new(Delays),
}

var (
	seriesPathDelay         = &Series{name: "path_delay", maps: true, acks: true}
	seriesWaitingTime       = &Series{name: "waiting_time", maps: true, acks: true}
	seriesHoLWait           = &Series{name: "hol_wait", maps: true, acks: true}
	seriesProtocolDelay     = &Series{name: "protocol_delay", maps: true, acks: true}
	seriesHoLDegree         = &Series{name: "hol_degree", maps: true, acks: true}
	seriesHoLBlocking       = &Series{name: "hol_blocking", maps: true, acks: true}
	seriesHoLDegreeAllPaths = &Series{name: "hol_degree_all_paths", maps: true, acks: true}
)

var delayRows = []catalogue.Metric{
	{
		Name: "path_delay", JSON: "path_delay_ms", BothEnds: true, Symbol: "T_i", Unit: "ms", Levels: catalogue.InSubflowDir, Better: catalogue.LowerIsBetter, Form: catalogue.Distribution,
		Definition: "Time from the first transmission of a chunk of data to the arrival of the DATA_ACK that covers its last byte. It counts for the path that carried the chunk first, even if a reinjection on another path delivered it. A chunk is the part of a captured packet that one mapping covers. Chunks weigh by their bytes.",
		Formula:    "T = t_d - t_s, t_s: first transmission, t_d: arrival of the DATA_ACK. At the receiver T = τ_i + (DATA_ACK leaves - arrival), τ_i: srtt at that time, of the path of the first arrival", Source: "FI23, FED23", Evidence: catalogue.Evidence{Sender: catalogue.Observed, Receiver: catalogue.Echo, Both: catalogue.Matched},
		Caveats: "At the receiver it is an upper bound where the two directions differ in delay, and does not include time lost before the first arrival. It ends with a fallback to TCP: data first sent since then, and data that only the subflow's ACK covers, do not count for it, nor for metrics derived from it.",
	},
	{
		Name: "waiting_time", JSON: "waiting_time_ms", BothEnds: true, Symbol: "θ_i", Unit: "ms", Levels: catalogue.InSubflowDir, Better: catalogue.LowerIsBetter, Form: catalogue.Distribution,
		Definition: "The part of the path delay that the path's own round trip does not explain. Chunks weigh by their bytes.",
		Formula:    "θ = T - τ_i, τ_i: srtt of the path when the DATA_ACK passes, after the sample that this packet gives", Source: "FI23", Evidence: catalogue.Evidence{Sender: catalogue.Observed, Receiver: catalogue.Echo, Both: catalogue.Matched},
		Caveats: "It can be slightly negative, because τ_i is smoothed.",
	},
	{
		Name: "hol_wait", JSON: "hol_wait_ms", BothEnds: true, Symbol: "w", Also: []string{"hol_wait_clipped"}, Figures: map[string]string{"hol_wait_clipped": "clipped"}, Unit: "ms", Levels: catalogue.InSubflowDir, Better: catalogue.LowerIsBetter, Form: "*WaitStat",
		Definition: "How long a chunk that had reached the receiver waited for its DATA_ACK. Chunks weigh by their bytes.",
		Formula:    "max(0, t_d - t_a), t_a: a subflow's ACK or SACK first covers its last byte; at the receiver: DATA_ACK leaves - arrival", Source: "FI23; RFC 8684 Section 3.3.2", Evidence: catalogue.Evidence{Sender: catalogue.Observed, Receiver: catalogue.Observed, Both: catalogue.Matched},
		Caveats: "At the sender the DATA_ACK often overtakes the subflow's ACK; such chunks count as 0, and `clipped` says how many they are. Two captures give it as the receiver does, from the true arrival.",
	},
	{
		Name: "protocol_delay", JSON: "protocol_delay_ms", BothEnds: true, Symbol: "T_over (υ_av, υ_max)", Also: []string{"T̄", "T"}, Figures: map[string]string{"υ_av": "avg", "υ_max": "max"}, Unit: "ms", Levels: catalogue.InConnDir, Better: catalogue.LowerIsBetter, Form: catalogue.Distribution,
		Definition: "Delay of the connection: in each cell of the sampling grid, the largest mean path delay of the subflows that delivered in the cell.",
		Formula:    "T_over(k) = max_i T_i(k), T_i(k): mean by bytes of the path delays of subflow i whose DATA_ACK passes in cell k. The first cell begins with the first data of the direction. A cell without a DATA_ACK that covers data does not count. υ_av = mean over k, υ_max = max over k", Source: "FI23 Table 3, FED23 Table 1", Evidence: catalogue.Evidence{Sender: catalogue.Observed, Receiver: catalogue.Echo, Both: catalogue.Matched},
		Caveats: "The grid is set by --interval, 100 ms unless told otherwise; 0 takes a sample per DATA_ACK. In series.csv t_s is the beginning of a cell. Single late chunks hardly change the mean of a cell: they show in the maximum of path_delay.",
	},
	{
		Name: "hol_degree", JSON: "hol_degree_ms", BothEnds: true, Symbol: "ζ (ζ_av, ζ_max)", Figures: map[string]string{"ζ_av": "avg", "ζ_max": "max"}, Unit: "ms", Levels: catalogue.InConnDir, Better: catalogue.LowerIsBetter, Form: catalogue.Distribution,
		Definition: "Head-of-line blocking degree: by how much the protocol delay exceeds the round trip of the slowest path that delivered in the cell.",
		Formula:    "ζ(k) = T_over(k) - max_i τ_i(k), both over the subflows with path delays in cell k, τ_i(k): srtt at the end of the cell", Source: "FI23 Table 3, FED23 Table 1", Evidence: catalogue.Evidence{Sender: catalogue.Observed, Receiver: catalogue.Echo, Both: catalogue.Echo},
		Caveats: "At the sender it is too low, and often below zero, for two reasons. A DATA_ACK returns over the faster path, but τ of the slow path contains its own slow return. And τ is measured from the oldest segment that an ACK covers, but T weighs all of them. hol_blocking is the same quantity without this bias. Of several runs `compare` takes max(ζ_max, 0) of each, as the papers do: a report has ζ_max as it is. Of two captures analyze gives it as the receiver does unless --end says otherwise, compare and plot as the sender does; series.csv holds the sender's.",
	},
	{
		Name: "hol_blocking", JSON: "hol_blocking_ms", BothEnds: true, Symbol: "ζ'", Unit: "ms", Levels: catalogue.InConnDir, Better: catalogue.LowerIsBetter, Form: catalogue.Distribution,
		Definition: "Head-of-line blocking degree from measured waits: by how much round trip and wait together exceed the round trip of the slowest path that delivered in the cell. Never negative.",
		Formula:    "ζ'(k) = max_i (τ_i(k) + w_i(k)) - max_i τ_i(k). Both are over the subflows with path delays in cell k and a round-trip time. w_i(k): mean of hol_wait in the cell, by bytes; τ_i(k): srtt at the end of the cell", Source: "this program, after FI23 and FED23", Evidence: catalogue.Evidence{Sender: catalogue.Observed, Receiver: catalogue.Echo, Both: catalogue.Echo},
		Caveats: "Of a wait on a fast path, only the part counts that is beyond the slowest path. At the sender a chunk whose DATA_ACK overtakes the subflow's ACK has no wait. Two captures give it as the receiver does; of them series.csv holds the sender's.",
	},
	{
		Name: "hol_degree_all_paths", JSON: "hol_degree_all_paths_ms", BothEnds: true, Unit: "ms", Levels: catalogue.InConnDir, Better: catalogue.LowerIsBetter, Form: catalogue.Distribution,
		Definition: "Head-of-line blocking degree against the slowest of all open paths, whether it delivered in the cell or not.",
		Formula:    "T_over(k) - max τ_i(k) over every subflow with an srtt that is open at the end of cell k, and those with path delays in it", Source: "this program, after FI23", Evidence: catalogue.Evidence{Sender: catalogue.Observed, Receiver: catalogue.Echo, Both: catalogue.Echo},
		Caveats: "An idle slow path makes it negative, and so does what makes hol_degree negative. Of two captures analyze gives it as the receiver does unless --end says otherwise, compare and plot as the sender does; series.csv holds the sender's.",
	},
}

// Delays are the delays between data and its DATA_ACK, ms.
type Delays struct {
	d    *DataDir
	subs perSub[SubDelays]

	Protocol          stats.Dist // T_over(k), over cells (FI23)
	HoLDegree         stats.Dist // zeta(k)
	HoLBlocking       stats.Dist // zeta'(k), from measured waits
	HoLDegreeAllPaths stats.Dist

	inCell  int  // subflows with a chunk in the open cell
	genuine bool // a DATA_ACK covered data that was sent before any fallback
}

// SubDelays are the delays of the data that one subflow was the first to carry,
// weighted by bytes, ms.
type SubDelays struct {
	Path    stats.Dist // T = t_d - t_s (FI23)
	HoLWait stats.Dist
	Clipped int64      // chunks whose DATA_ACK overtook the subflow's ACK
	waiting stats.Dist // the sender's theta

	// The open cell of the sampling grid.
	cellSum    float64 // sum of T, each times its bytes
	cellWait   float64 // sum of the waits, likewise
	cellWeight float64 // bytes

	tauSum   float64 // sum of the SRTT at the end of each cell of T_over
	tauCells int64   // number of these cells in which the subflow was open and had an SRTT
}

func (x *Delays) renew(d *DataDir) {
	*x = Delays{
		d: d, subs: x.subs.renewed((*SubDelays).reset),
		Protocol: x.Protocol.Renewed(), HoLDegree: x.HoLDegree.Renewed(), HoLBlocking: x.HoLBlocking.Renewed(), HoLDegreeAllPaths: x.HoLDegreeAllPaths.Renewed(),
	}
}

func (x *SubDelays) reset() {
	*x = SubDelays{Path: x.Path.Renewed(), HoLWait: x.HoLWait.Renewed(), waiting: x.waiting.Renewed()}
}

// Delays returns the delays of the direction.
func (d *DataDir) Delays() *Delays { return cmp.Or(d.delays, noDir.delays) }

// Delays returns the delays of the data that the subflow was the first to carry.
func (s *SubflowDir) Delays() *SubDelays { return s.dir.Delays().subs.at(s.id) }

// WaitingTime returns theta = T - tau(t_d), weighted by bytes (FI23). At the receiver T
// is tau plus the time from the arrival to the DATA_ACK, so theta is that time:
// HoLWait.
func (s *SubflowDir) WaitingTime() *stats.Dist {
	if x := s.Delays(); s.dir.role != Receiver {
		return &x.waiting
	} else {
		return &x.HoLWait
	}
}

// CellSRTT returns the mean of tau, ms, over the cells of the protocol delay. In each
// cell tau is the SRTT at its end; the cell counts if the subflow is open then or
// delivered data in it. It reports whether there is such a cell.
func (s *SubflowDir) CellSRTT() (mean float64, ok bool) {
	x := s.Delays()
	if x.tauCells == 0 {
		return 0, false
	}
	return x.tauSum / float64(x.tauCells), true
}

// delivered takes chunks. At the sender each chunk c gives T(c) = t_d - t_s. At the
// receiver it gives an upper bound: tau_i plus the time from the arrival to the
// DATA_ACK.
func (x *Delays) delivered(chunks []*dss.Chunk, now int64) {
	d := x.d
	x.genuine = true
	if !d.looked.holds(now) || d.role != Sender && d.role != Receiver {
		return
	}
	for len(chunks) > 0 {
		n := together(chunks)
		if s := d.m.Subs[chunks[0].Sub].dirs[d.from]; d.role == Sender || s.HasSRTT() {
			x.take(s, chunks[:n], now)
		}
		chunks = chunks[n:]
	}
	if d.m.k.cfg.Interval == 0 {
		x.cellAt(now, now+1)
	}
}

// together returns how many chunks at the front of a list one subflow was the first to
// carry, at most [stats.BatchSize]. The chunks are ordered by subflow.
func together(chunks []*dss.Chunk) (n int) {
	list := chunks[:min(len(chunks), stats.BatchSize)]
	sub := list[0].Sub
	if list[len(list)-1].Sub == sub {
		return len(list)
	}
	for list[n].Sub == sub {
		n++
	}
	return n
}

// take takes chunks that one subflow was the first to carry. The time from a chunk to
// its DATA_ACK is T at the sender and the wait at the receiver. The other figure, theta
// or T, differs from it by the mean round trip.
func (x *Delays) take(s *SubflowDir, chunks []*dss.Chunk, now int64) {
	n, off := len(chunks), math.NaN()
	if s.HasSRTT() {
		off = s.est.SRTT / 1e6
	}
	own := x.subs.of(s)
	seen, other := &own.HoLWait, &own.Path
	if x.d.role == Sender {
		seen, other, off = other, &own.waiting, -off
	}
	list := x.d.m.scratch.delays[0][:n]
	sum, total := since(list, chunks, now)
	seen.AddWeightedSlice(list)
	waits, waited := list, sum
	if x.d.role == Sender {
		waits = x.d.m.scratch.delays[1][:n]
		waited = own.clips(waits, chunks, now)
	} else {
		sum += off * total
	}
	if own.cellWeight == 0 {
		x.inCell++
	}
	own.cellSum += sum
	own.cellWait += waited
	own.cellWeight += total
	if s.out != nil {
		x.emit(s, list, waits, off, now)
	}
	for i := range list {
		list[i].Value += off
	}
	other.AddWeightedSlice(list)
}

// since fills list with the time from each chunk to now, ms; the weight is the bytes of
// the chunk. It returns the weighted sum and the sum of the weights.
func since(list []stats.Weighted, chunks []*dss.Chunk, now int64) (sum, total float64) {
	for i, c := range chunks[:len(list)] {
		v, w := ms(now-c.FirstSeen), float64(c.Data.Len())
		list[i] = stats.Weighted{Value: v, Weight: w}
		sum += v * w
		total += w
	}
	return sum, total
}

// clips fills waits with the head-of-line waits of chunks at the sender: from the
// acknowledgment of the last byte on a subflow to now, 0 where the DATA_ACK came first.
// It returns the sum of the waits, each times its bytes.
func (x *SubDelays) clips(waits []stats.Weighted, chunks []*dss.Chunk, now int64) (sum float64) {
	for i, c := range chunks {
		at := c.Acked
		if at == 0 || at > now {
			x.Clipped++
			at = now
		}
		v, w := ms(now-at), float64(c.Data.Len())
		waits[i] = stats.Weighted{Value: v, Weight: w}
		sum += v * w
	}
	x.HoLWait.AddWeightedSlice(waits)
	return sum
}

// emit hands the delays of chunks to the series.
func (x *Delays) emit(s *SubflowDir, list, waits []stats.Weighted, off float64, now int64) {
	delay, theta := off, 0.
	if x.d.role == Sender {
		delay, theta = theta, delay
	}
	if s.HasSRTT() {
		s.out.emitAll(seriesWaitingTime, now, list, theta)
	}
	s.out.emitAll(seriesPathDelay, now, list, delay)
	s.out.emitAll(seriesHoLWait, now, waits, 0)
}

// cellEnd ends the open cell of the sampling grid.
func (x *Delays) cellEnd() {
	if x.inCell > 0 {
		x.cellAt(x.d.cellEnds-int64(x.d.m.k.cfg.Interval), x.d.cellEnds)
	}
}

// close ends the last cell.
func (x *Delays) close(int64) { x.cellEnd() }

// cellAt computes T_over, zeta and zeta' of the open cell from the subflows with a
// chunk in it. The cell begins at time at and ends before end. The packet that caused
// this call may have closed a subflow that was open at end.
func (x *Delays) cellAt(at, end int64) {
	if x.inCell == 0 {
		return
	}
	first, withTau := true, false
	var over, tau, all, held float64 // held is max(tau_i + w_i), with w_i the mean of the waits
	for _, sub := range x.d.m.Subs {
		s := sub.dirs[x.d.from]
		if s == nil {
			continue
		}
		own, srtt := x.subs.of(s), s.est.SRTT/1e6
		if open := !sub.Sub.Done() || sub.Sub.Ended >= end; s.HasSRTT() && (open || own.cellWeight > 0) {
			if open {
				all = max(all, srtt)
			}
			own.tauSum += srtt
			own.tauCells++
		}
		if own.cellWeight == 0 {
			continue
		}
		if t := own.cellSum / own.cellWeight; first || t > over {
			over, first = t, false
		}
		if s.HasSRTT() {
			tau, withTau = max(tau, srtt), true
			held = max(held, srtt+own.cellWait/own.cellWeight)
		}
		own.cellSum, own.cellWait, own.cellWeight = 0, 0, 0
	}
	x.inCell = 0
	x.Protocol.Add(over)
	x.d.out.emit(seriesProtocolDelay, at, over)
	if !withTau {
		return
	}
	x.HoLDegree.Add(over - tau)
	x.HoLBlocking.Add(held - tau)
	x.HoLDegreeAllPaths.Add(over - max(all, tau))
	x.d.out.emit(seriesHoLDegree, at, over-tau)
	x.d.out.emit(seriesHoLBlocking, at, held-tau)
	x.d.out.emit(seriesHoLDegreeAllPaths, at, over-max(all, tau))
}

func (*Delays) reportSubflow(v *view, out *report.SubDir) {
	if why := v.m.DelayReason(v.from); why != "" {
		v.SetAll(why, "path_delay_ms", "waiting_time_ms", "hol_wait_ms")
		return
	}
	s, e := v.sub.Dir(v.from), v.delayEvidence()
	x, why := s.Delays(), "no data first carried by this subflow was covered by a DATA_ACK"
	if v.role == Receiver && !s.HasSRTT() {
		why = "at the receiver it needs a smoothed round-trip time, of which this subflow shows none"
	}
	out.PathDelay = v.Stat("path_delay_ms", &x.Path, e, why)
	out.WaitingTime = v.Stat("waiting_time_ms", s.WaitingTime(), e, why)
	if x.HoLWait.N() == 0 {
		v.Set("hol_wait_ms", why)
		return
	}
	out.HoLWait = v.Mem.Waits.Of(report.WaitStat{Stat: fill.StatOf(&x.HoLWait, report.Observed), Clipped: x.Clipped})
}

func (*Delays) reportConnection(v *view, out *report.ConnDir) {
	names := []string{"protocol_delay_ms", "hol_degree_ms", "hol_blocking_ms", "hol_degree_all_paths_ms"}
	if why := v.m.DelayReason(v.from); why != "" {
		v.SetAll(why, names...)
		return
	}
	x, e, why := v.dir().Delays(), v.delayEvidence(), v.noDelays()
	for i, field := range []struct {
		of  *stats.Dist
		out **report.Stat
	}{
		{&x.Protocol, &out.ProtocolDelay}, {&x.HoLDegree, &out.HoLDegree}, {&x.HoLBlocking, &out.HoLBlocking}, {&x.HoLDegreeAllPaths, &out.HoLDegreeAllPaths},
	} {
		*field.out = v.Stat(names[i], field.of, e, why)
	}
}

// noDelays returns why the connection has no delay if there is no other reason.
func (v *view) noDelays() string {
	if v.role == Receiver {
		return "no data was covered by a DATA_ACK, or no subflow shows a round-trip time"
	}
	if v.m.Conn.Spaces[v.from].AcksOverHoles > 0 {
		return "each DATA_ACK covers data that is not in the capture"
	}
	return "no data was covered by a DATA_ACK"
}
