package tcptrace

import (
	"cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/output"
)

// Graphs is a module that draws every TCP connection, and every subflow, as tcptrace -G does. It
// draws every Multipath TCP connection as mptcptrace -s does. It writes the files while the
// capture is read, under temporary names.
type Graphs struct {
	folder
	flows int
}

// NewGraphs returns a module that writes into a directory, which it makes if
// there is none.
func NewGraphs(dir string) (*Graphs, error) {
	d, err := output.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	return &Graphs{folder: folder{dir: d}}, nil
}

// Open returns the observer of a connection.
func (g *Graphs) Open(c *conn.Conn) conn.Observer {
	return &drawer{graphs: g, data: dataGraphs{conn: c, folder: &g.folder}}
}

// drawer draws a connection and its subflows.
type drawer struct {
	conn.Nop
	graphs *Graphs
	flows  flows
	data   dataGraphs
}

func (d *drawer) Packet(p *conn.Packet) {
	d.flows.add(p, func() *Pair { return &Pair{graphs: d.graphs.pair(endpoint(p.Seg.Src), endpoint(p.Seg.Dst))} })
	d.data.packet(p)
}

func (d *drawer) Event(e *conn.Event) { d.data.event(e) }

func (d *drawer) Close(int64) {
	for i := range d.flows {
		if p := d.flows[i].pair; p != nil {
			p.graphs.close()
		}
	}
	d.data.close()
}

// pairGraphs are the graphs of a TCP connection.
type pairGraphs struct {
	sides [2]sideGraphs // by the sender of the data
	line  timeLine
}

// sideGraphs are the graphs of a direction.
type sideGraphs struct {
	folder *folder
	name   string // as in a2b
	title  string // from one end to the other

	tsg, owin        *plot
	rtt, tput, ssize *plot // nil until there is something to draw

	acked                           bool  // an ACK of the peer was seen
	ackedAt                         int64 // time of the latest ACK of the peer, us
	samples                         curve
	owins, windows, means, weighted curve
	rate, wholeRate                 curve
	sizes, meanSizes                curve
	thru                            throughputs
}

// pair begins the graphs of the next TCP connection.
func (g *Graphs) pair(a, b string) *pairGraphs {
	x, y := letters(2*g.flows), letters(2*g.flows+1)
	g.flows++
	out := &pairGraphs{}
	out.sides[0].begin(&g.folder, x+"2"+y, a+"_==>_"+b)
	out.sides[1].begin(&g.folder, y+"2"+x, b+"_==>_"+a)
	out.line.begin(&g.folder, x+"_"+y, a+"_==>_"+b)
	return out
}

func (s *sideGraphs) begin(dir *folder, name, title string) {
	s.folder, s.name, s.title = dir, name, title
	s.tsg = newPlot(dir, name+"_tsg.xpl", "timeval double", title+" (time sequence graph)", "time", "sequence number")
	s.owin = newPlot(dir, name+"_owin.xpl", "timeval signed", title+" (outstanding data)", "time", "Outstanding Data (bytes)")
	s.samples = curve{label: "rtt", colour: red}
	s.owins, s.windows = curve{label: "owin", colour: red}, curve{label: "rwin", colour: yellow}
	s.means, s.weighted = curve{label: "avg owin", colour: blue}, curve{label: "wavg owin", colour: green}
	s.sizes, s.meanSizes = curve{label: "segsize", colour: red}, curve{label: "avg segsize", colour: blue}
	s.rate, s.wholeRate = curve{label: "inst. tput", colour: red}, curve{label: "avg. tput", colour: blue}
}

func (g *pairGraphs) close() {
	g.line.plot.close()
	for i := range g.sides {
		s := &g.sides[i]
		for _, p := range []*plot{s.tsg, s.owin, s.rtt, s.tput, s.ssize} {
			if p != nil {
				p.close()
			}
		}
	}
}

// segmentSize draws the payload of a packet, and the mean so far.
func (s *sideGraphs) segmentSize(st *packetState) {
	if st.s.PayloadLen == 0 {
		return
	}
	if s.ssize == nil {
		s.ssize = newPlot(s.folder, s.name+"_ssize.xpl", "timeval signed", s.title+" (segment size graph)", "time", "segment size (bytes)")
	}
	s.sizes.extend(s.ssize, st.now, int64(st.s.PayloadLen))
	s.meanSizes.extend(s.ssize, st.now, st.me.DataBytes/st.me.DataPkts)
}

// sample draws a round-trip time in whole ms.
func (s *sideGraphs) sample(now, rtt int64) {
	if s.rtt == nil {
		s.rtt = newPlot(s.folder, s.name+"_rtt.xpl", "timeval signed", s.title+" (rtt samples)", "time", "rtt (ms)")
		s.rtt.colour(red)
	}
	if rtt > 1 {
		s.samples.extend(s.rtt, now, rtt/1000)
	}
}

// outstanding draws outstanding data after a packet that advances the stream: the
// sample, the window, and the mean. The mean weighted by time follows with the next
// such packet, as the weight of a sample is the time until then.
func (s *sideGraphs) outstanding(p *Pair, st *packetState) {
	me := st.me
	if me.owinCount > 1 {
		weighted := int64(0)
		if p.elapsed() > 0 {
			weighted = int64(float64(me.owinWeighted) / (float64(p.elapsed()) / 1e6))
		}
		s.weighted.extend(s.owin, s.owins.at, weighted)
	}
	s.owins.extend(s.owin, st.now, me.owinPrev)
	s.windows.extend(s.owin, st.now, st.peer.lastWin)
	s.means.extend(s.owin, st.now, me.avgOwin())
}

// throughputs is the state of a graph of throughput.
type throughputs struct {
	begun       int64 // when the current interval began, us
	last        int64 // the latest packet
	pkts, bytes int64 // in the interval
}

// perInterval is the number of packets in an interval.
const perInterval = 10

// throughput draws the rate of each packet since the packet before, the rate of each
// interval, and the rate since the beginning of the connection.
func (s *sideGraphs) throughput(p *Pair, st *packetState) {
	n, t := int64(st.s.PayloadLen), &s.thru
	if s.tput == nil {
		s.tput = newPlot(s.folder, s.name+"_tput.xpl", "timeval signed", s.title+" (throughput)", "time", "thruput (bytes/sec)")
		*t = throughputs{begun: st.now, last: st.now, pkts: 1, bytes: n}
		return
	}
	if n == 0 {
		return
	}
	if t.pkts+1 >= perInterval {
		s.rate.extend(s.tput, st.now, bytesPerSecond(t.bytes, elapsed(t.begun, st.now)))
		s.wholeRate.extend(s.tput, st.now, bytesPerSecond(st.me.DataBytes, elapsed(p.First, st.now)))
		*t = throughputs{begun: st.now, last: t.last}
	}
	s.tput.object("dot", yellow, st.now, bytesPerSecond(n, elapsed(t.last, st.now)))
	t.last = st.now
	t.pkts++
	t.bytes += n
}

// bytesPerSecond returns a rate; a time of 0 counts as a millisecond.
func bytesPerSecond(bytes, us int64) int64 {
	return int64(float64(bytes) / (float64(cmp.Or(us, 1000)) / 1e6))
}
