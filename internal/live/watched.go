package live

import (
	"cmp"
	"math"
	"net/netip"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// watched is an open connection, with its counts at the end of the interval before.
type watched struct {
	m        *metrics.Connection
	dirs     [2]dirCounts
	subs     [][2]subCounts // by subflow; bounded by the subflows that conn keeps
	spent    [][2]spent     // the same
	verdicts []standing     // bounded by the verdicts on a connection
	lookedAt int64          // number of the interval of the latest look at verdicts, plus 1; 0 before the first
}

// dirCounts are the counts of one direction of a connection.
type dirCounts struct {
	data  int64 // application data, each byte once
	waits symptoms.Waits
}

// subCounts are the counts of one direction of a subflow.
type subCounts struct {
	payload, bytes, first, segments, retransmitted, lost int64
	blocked                                              int64 // ns
}

// clear prepares the memory for another connection.
func (c *watched) clear() {
	*c = watched{subs: c.subs[:0], spent: c.spent[:0], verdicts: c.verdicts[:0]}
}

// data returns the application data that side from has sent so far, each byte once.
func (c *watched) data(from conn.Side) (n int64) {
	if c.m.Conn.Kind == conn.Multipath {
		return c.m.Conn.Spaces[from].AppBytes()
	}
	for _, s := range c.m.Subs {
		n += c.m.Carried(s, from).Unique
	}
	return n
}

// passed returns what passed since the end of the interval before.
func (c *watched) passed() (n Amounts) {
	for _, from := range sides {
		n.Bytes += c.data(from) - c.dirs[from].data
		for i, s := range c.m.Subs {
			n.Payload += s.Sub.Senders[from].Bytes
			if i < len(c.subs) {
				n.Payload -= c.subs[i][from].payload
			}
		}
	}
	return n
}

var sides = [2]conn.Side{conn.A, conn.B}

// read stores the counts at the time now, in ns.
func (c *watched) read(now int64) {
	for len(c.subs) < len(c.m.Subs) {
		c.subs = append(c.subs, [2]subCounts{})
	}
	multipath := c.m.Conn.Kind == conn.Multipath
	for _, from := range sides {
		c.dirs[from].data = c.data(from)
		if multipath {
			c.dirs[from].waits = c.m.Symptoms.Dir(from).WaitsUntil(now)
		}
		for i, s := range c.m.Subs {
			h, n := &s.Sub.Senders[from], &c.subs[i][from]
			blocked := n.blocked
			if multipath {
				blocked = max(blocked, s.Path(from).BlockedUntil(now))
			}
			*n = subCounts{
				payload: h.Bytes, bytes: c.m.Carried(s, from).Bytes, segments: h.Segments, retransmitted: h.RexmitSegments, lost: c.m.LossSoFar(s, from).Lost,
				first: s.Sub.Spaces[from].FirstBytes, blocked: blocked,
			}
		}
	}
}

// take reads the counts, and returns what passed since they were read before.
func (c *watched) take(now int64, o *Monitor) *Connection {
	out := &Connection{}
	c.name(out, o)
	dirs, subs := c.dirs, make([][2]subCounts, len(c.m.Subs))
	copy(subs, c.subs)
	c.read(now)
	for _, from := range sides {
		d := out.dir(from)
		c.direction(from, &dirs[from], d)
		for i, s := range c.m.Subs {
			x := out.Subflows[i].dir(from)
			c.subflow(s, from, &subs[i][from], &c.subs[i][from], x)
			d.Payload += x.Payload
		}
		if c.m.Conn.Kind == conn.Multipath {
			out.shares(from, c.m.MapsCutSoFar(from))
		}
	}
	return out
}

// spent are the times of the states of time_account, ns, in the order of [report.TimeAccount.States]. Their sums are the same in
// whatever order the connections are added.
type spent [11]int64

// spent adds to the interval what the subflows of a connection spent since the call before.
func (o *Monitor) spent(c *watched) {
	for len(c.spent) < len(c.m.Subs) {
		c.spent = append(c.spent, [2]spent{})
	}
	if o.next.spent == nil {
		o.next.spent = map[pathState]int64{}
	}
	for i, s := range c.m.Subs {
		for _, from := range sides {
			account, known := c.m.AccountSoFar(s, from)
			for k, of := range account.States() {
				now := int64(math.Round(of.MS * 1e6))
				if more := now - c.spent[i][from][k]; known && more > 0 {
					c.spent[i][from][k] = now
					o.next.spent[pathState{pathDir{o.opt.Builder.Path(s.Sub), directions[from]}, of.Name}] += more
				}
			}
		}
	}
}

// name fills in what identifies a connection, its subflows and its verdicts.
func (c *watched) name(out *Connection, o *Monitor) {
	of := c.m.Conn
	vantage, _ := of.Vantage()
	out.Number, out.Vantage, out.State = of.Order, report.Vantage(vantage.String()), states[of.State()]
	if of.Kind == conn.Multipath {
		out.Connection = new(of.ID)
	}
	for i, s := range c.m.Subs {
		if i == 0 {
			out.A, out.B = s.Sub.Ends[conn.A].AddrPort().String(), s.Sub.Ends[conn.B].AddrPort().String()
		}
		out.Subflows = append(out.Subflows, Subflow{
			Subflow: s.Sub.ID, Path: o.opt.Builder.Path(s.Sub), Backup: s.Sub.Backup,
			Open: s.Sub.Established() && !s.Sub.Done(),
			ends: [2]netip.AddrPort{s.Sub.Ends[conn.A].AddrPort(), s.Sub.Ends[conn.B].AddrPort()},
		})
	}
	for _, v := range c.verdicts {
		if v.listed {
			out.Standing = append(out.Standing, v.of)
		}
	}
}

var states = [...]report.ConnState{report.ConnOpen, report.ConnClosed, report.ConnFastclosed, report.ConnReset, report.ConnSYNReceived}

// dir returns the direction in which side from sends.
func (c *Connection) dir(from conn.Side) *ConnDir { return [2]*ConnDir{&c.A2B, &c.B2A}[from] }

// dir returns the direction in which side from sends.
func (s *Subflow) dir(from conn.Side) *SubDir { return [2]*SubDir{&s.A2B, &s.B2A}[from] }

// Reasons why figures are absent.
const (
	plain    = "a plain TCP connection"
	onePath  = "a plain TCP connection has one path"
	noData   = "no new data passed in the interval"
	noLoss   = "no payload has passed yet"
	noSender = "only a capture at the sender shows it"
)

// known returns a value, or nil and notes why its fields are null.
func known[T any](r *report.Reasons, why string, v T, fields ...string) *T {
	if why == "" {
		return &v
	}
	for _, f := range fields {
		r.Set(f, why)
	}
	return nil
}

// because returns why a figure is not known where that is so.
func because(absent bool, why string) string {
	if absent {
		return why
	}
	return ""
}

// direction fills in what passed in one direction of the connection.
func (c *watched) direction(from conn.Side, before *dirCounts, out *ConnDir) {
	now, r := &c.dirs[from], &out.Unavailable
	out.Bytes = known(r, c.m.MapsCutSoFar(from), now.data-before.data, "bytes", "goodput_mbps")
	if c.m.Conn.Kind != conn.Multipath {
		known(r, plain, 0, "rwnd_bytes", "rwnd_free_bytes", "window_ms", "application_ms", "data_ack_ms", "waits_for")
		return
	}
	window, free, why := c.m.Dir(from).WindowSoFar()
	out.Rwnd, out.RwndFree = known(r, why, window, "rwnd_bytes"), known(r, why, free, "rwnd_free_bytes")
	fault := c.m.Conn.ClockFault()
	known(r, fault, 0, "waits_for")
	out.Window = known(r, cmp.Or(fault, why), ms(max(0, now.waits.Window-before.waits.Window)), "window_ms")
	why = cmp.Or(fault, because(!now.waits.AtSender, noSender))
	out.Application = known(r, why, ms(max(0, now.waits.Application-before.waits.Application)), "application_ms")
	out.DataAck = known(r, why, ms(now.waits.DataAck), "data_ack_ms")
}

// subflow fills in what passed in one direction of a subflow.
func (c *watched) subflow(s *metrics.Sub, from conn.Side, before, now *subCounts, out *SubDir) {
	r := &out.Unavailable
	out.Payload, out.Segments, out.Retransmitted = now.payload-before.payload, now.segments-before.segments, now.retransmitted-before.retransmitted
	out.InFlight, out.first = s.Sub.Senders[from].InFlight(), now.first-before.first
	out.Bytes = known(r, c.m.Carried(s, from).Cut, now.bytes-before.bytes, "bytes")
	loss := c.m.LossSoFar(s, from)
	out.Lost = known(r, loss.Why, now.lost-before.lost, "lost_segments")
	out.Loss = known(r, cmp.Or(loss.Why, because(loss.Segments == 0, noLoss)), 100*float64(loss.Lost)/float64(loss.Segments), "loss_percent")
	srtt, why := c.m.SRTTSoFar(s, from)
	out.SRTT = known(r, why, srtt, "srtt_ms")
	one := because(c.m.Conn.Kind != conn.Multipath, onePath)
	known(r, one, 0, "share_percent")
	out.Blocked = known(r, cmp.Or(one, c.m.Conn.ClockFault()), ms(now.blocked-before.blocked), "head_of_line_ms")
}

// shares fills in which share of the data of side from each subflow carried. why says why the
// shares are not known; it is empty if they are.
func (c *Connection) shares(from conn.Side, why string) {
	all := int64(0)
	for i := range c.Subflows {
		all += c.Subflows[i].dir(from).first
	}
	why = cmp.Or(why, because(all <= 0, noData))
	for i := range c.Subflows {
		d := c.Subflows[i].dir(from)
		d.Share = known(&d.Unavailable, why, 100*float64(d.first)/float64(all), "share_percent")
	}
}

func ms(ns int64) float64 { return float64(ns) / 1e6 }
