package fairness

import (
	"cmp"
	"slices"

	"mpanalyze/internal/report"
)

// Result returns how much each flow took. Call it when all connections have ended.
func (k *Collector) Result() *report.Fairness {
	slices.SortFunc(k.kept, func(a, b *dataDir) int { return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.from, b.from)) })
	out := &report.Fairness{Omitted: k.omitted}
	pathDirs := k.pathDirs()
	for _, r := range pathDirs {
		if x := r.report(); x != nil {
			out.Paths = append(out.Paths, *x)
		}
	}
	for _, w := range k.kept {
		if x := against(w, pathDirs); x != nil {
			out.Connections = append(out.Connections, *x)
		}
	}
	return out
}

// report returns how the flows shared the path. It returns nil if Multipath TCP and plain TCP
// were never active at the same time.
func (r *pathDir) report() *report.FairPath {
	all := make([]competitor, len(r.portions))
	for i, l := range r.portions {
		all[i] = competitor{kind: tcp, cells: &l.cells}
		if l.multi() {
			all[i].kind = multipath
		}
	}
	c := overlapOf(all)
	if c.n == 0 {
		return nil
	}
	out := &report.FairPath{
		Path: r.name, From: c.from(), To: c.to(), BothActive: c.seconds(), Cell: c.cell(),
		TCP: c.meanTCP(), Retransmitted: r.congestion(),
	}
	bytes := int64(0)
	for i := range all {
		bytes += all[i].bytes
	}
	for i, l := range r.portions {
		if all[i].time > 0 {
			out.Flows = append(out.Flows, l.report(c, i, bytes))
			if l.multi() {
				out.Direction = l.direction()
			}
		}
	}
	sumUp(out)
	return out
}

// report returns how much of all bytes of an overlap a flow took.
func (l *portion) report(c *overlap, i int, bytes int64) report.FairFlow {
	out := report.FairFlow{
		Sender: endpoint(l.first.ends[l.from]), Receiver: endpoint(l.first.ends[l.from.Other()]),
		Bytes: c.all[i].bytes, Rate: c.rate(i), Share: percent(c.all[i].bytes, bytes),
	}
	if l.multi() {
		out.Connection = new(l.id)
	}
	return out
}

// sumUp adds the figures that follow from the flows.
func sumUp(p *report.FairPath) {
	var sum, squares, multi float64
	for i := range p.Flows {
		x := &p.Flows[i]
		sum, squares = sum+x.Rate, squares+x.Rate*x.Rate
		if x.Connection != nil {
			multi++
			p.MPTCPShare += x.Share
		}
	}
	n := float64(len(p.Flows))
	p.EqualShare = 100 * multi / n
	if squares > 0 {
		p.Jain = sum * sum / (n * squares)
	}
}

// against compares a connection with plain TCP on its paths. It returns nil if they were never
// active on a path at the same time, and for a plain TCP connection.
func against(w *dataDir, pathDirs []*pathDir) (out *report.FairConnection) {
	if !w.multi() {
		return nil
	}
	whole := w.whole()
	for _, r := range pathDirs {
		own := r.portion(w)
		if own == nil {
			continue
		}
		all := []competitor{{kind: looked, cells: &whole}, {kind: multipath, cells: &own.cells}}
		for _, l := range r.portions {
			if !l.multi() {
				all = append(all, competitor{kind: tcp, cells: &l.cells})
			}
		}
		c := overlapOf(all)
		if c.n == 0 || c.meanTCP() == 0 {
			continue
		}
		if out == nil {
			out = &report.FairConnection{Connection: w.id, Direction: w.direction()}
			out.LeastCongested, out.LeastCongestedShare = w.balance(pathDirs)
		}
		mean := c.meanTCP()
		out.MostOnAPath = max(out.MostOnAPath, c.rate(1)/mean)
		if mean > out.BestTCP {
			out.BestPath, out.BestTCP, out.From, out.To, out.BothActive = r.name, mean, c.from(), c.to(), c.seconds()
			out.Rate = c.over(all[0].bytes, c.n)
			out.Ratio = out.Rate / mean
			out.TakesMore = out.Ratio > 1
		}
	}
	return out
}

// whole returns what a direction of a connection sent on all its subflows.
func (w *dataDir) whole() (all cells) {
	for _, f := range w.flows {
		all = sum(all, f.cells)
	}
	return all
}

// balance returns the least congested path of a connection, and the percentage of its bytes
// there. It returns nil if all paths are equally congested, or if that is not known.
func (w *dataDir) balance(pathDirs []*pathDir) (path *string, share *float64) {
	least, most := 0., 0.
	for _, r := range pathDirs {
		own := r.portion(w)
		if own == nil {
			continue
		}
		here := r.congestion()
		if here == nil {
			return nil, nil
		}
		if path == nil || *here < least {
			least = *here
			path, share = new(r.name), new(percent(own.cells.total().all, w.bytes))
		}
		most = max(most, *here)
	}
	if least == most {
		return nil, nil
	}
	return path, share
}
