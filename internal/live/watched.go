package live

import (
	"cmp"
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
func (c *watched) clear() { *c = watched{subs: c.subs[:0], verdicts: c.verdicts[:0]} }

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

// take reads the counts at the time now, in ns, and stores them. If out is not nil, it fills in
// what passed since the counts that were stored before.
func (c *watched) take(now int64, out *Connection, o *Monitor) {
	for len(c.subs) < len(c.m.Subs) {
		c.subs = append(c.subs, [2]subCounts{})
	}
	of := c.m.Conn
	if out != nil {
		c.name(out, o)
	}
	for _, from := range sides {
		var d *ConnDir
		if out != nil {
			d = out.dir(from)
		}
		c.takeDir(from, now, d)
		for i, s := range c.m.Subs {
			var d *SubDir
			if out != nil {
				d = out.Subflows[i].dir(from)
			}
			if c.takeSub(i, s, from, now, d); out != nil {
				out.dir(from).Payload += d.Payload
			}
		}
		if out != nil && of.Kind == conn.Multipath {
			out.shares(from, c.m.MapsCutSoFar(from))
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

// takeDir does what take does, for one direction of the connection.
func (c *watched) takeDir(from conn.Side, now int64, out *ConnDir) {
	before := &c.dirs[from]
	data := c.data(from)
	if out == nil {
		before.data = data
		if c.m.Conn.Kind == conn.Multipath {
			before.waits = c.m.Symptoms.Dir(from).WaitsUntil(now)
		}
		return
	}
	if why := c.m.MapsCutSoFar(from); why != "" {
		absent(&out.Unavailable, why, "bytes", "goodput_mbps")
	} else {
		out.Bytes = new(data - before.data)
	}
	before.data = data
	if c.m.Conn.Kind != conn.Multipath {
		absent(&out.Unavailable, plain, "rwnd_bytes", "rwnd_free_bytes", "window_ms", "application_ms", "data_ack_ms", "waits_for")
		return
	}
	window, free, why := c.m.Dir(from).WindowSoFar()
	if why != "" {
		absent(&out.Unavailable, why, "rwnd_bytes", "rwnd_free_bytes")
	} else {
		out.Rwnd, out.RwndFree = &window, &free
	}
	waits := c.m.Symptoms.Dir(from).WaitsUntil(now)
	if fault := c.m.Conn.ClockFault(); fault != "" {
		absent(&out.Unavailable, fault, "window_ms", "application_ms", "data_ack_ms", "waits_for")
	} else {
		out.waits(&waits, &before.waits, why)
	}
	before.waits = waits
}

// Reasons why figures are absent.
const (
	plain    = "a plain TCP connection"
	onePath  = "a plain TCP connection has one path"
	noData   = "no new data passed in the interval"
	noSender = "only a capture at the sender shows it"
)

// absent notes why some fields are null.
func absent(r *report.Reasons, why string, fields ...string) {
	for _, f := range fields {
		r.Set(f, why)
	}
}

// waits fills in the waits of the interval. now and before are the waits up to its end and up
// to its start. why says why the window is not known; it is empty if the window is known.
func (d *ConnDir) waits(now, before *symptoms.Waits, why string) {
	if why == "" {
		d.Window = new(ms(max(0, now.Window-before.Window)))
	} else {
		absent(&d.Unavailable, why, "window_ms")
	}
	if now.AtSender {
		d.Application, d.DataAck = new(ms(max(0, now.Application-before.Application))), new(ms(now.DataAck))
	} else {
		absent(&d.Unavailable, noSender, "application_ms", "data_ack_ms")
	}
}

// takeSub does what take does, for one direction of a subflow.
func (c *watched) takeSub(i int, s *metrics.Sub, from conn.Side, now int64, out *SubDir) {
	before, h := &c.subs[i][from], &s.Sub.Senders[from]
	carried, loss := c.m.Carried(s, from), c.m.LossSoFar(s, from)
	after := subCounts{
		payload: h.Bytes, bytes: carried.Bytes, segments: h.Segments, retransmitted: h.RexmitSegments, lost: loss.Lost,
		first: s.Sub.Spaces[from].FirstBytes, blocked: before.blocked,
	}
	multipath := c.m.Conn.Kind == conn.Multipath
	if multipath {
		after.blocked = max(before.blocked, s.Path(from).BlockedUntil(now))
	}
	defer func() { *before = after }()
	if out == nil {
		return
	}
	out.Payload, out.Segments, out.Retransmitted = after.payload-before.payload, after.segments-before.segments, after.retransmitted-before.retransmitted
	out.InFlight = h.InFlight()
	if carried.Cut == "" {
		out.Bytes = new(after.bytes - before.bytes)
	} else {
		absent(&out.Unavailable, carried.Cut, "bytes")
	}
	switch {
	case loss.Why != "":
		absent(&out.Unavailable, loss.Why, "lost_segments", "loss_percent")
	case loss.Segments == 0:
		out.Lost = new(after.lost - before.lost)
		absent(&out.Unavailable, "no payload has passed yet", "loss_percent")
	default:
		out.Lost, out.Loss = new(after.lost-before.lost), new(100*float64(loss.Lost)/float64(loss.Segments))
	}
	if srtt, why := c.m.SRTTSoFar(s, from); why == "" {
		out.SRTT = &srtt
	} else {
		absent(&out.Unavailable, why, "srtt_ms")
	}
	if !multipath {
		absent(&out.Unavailable, onePath, "share_percent", "head_of_line_ms")
		return
	}
	if fault := c.m.Conn.ClockFault(); fault != "" {
		absent(&out.Unavailable, fault, "head_of_line_ms")
	} else {
		out.Blocked = new(ms(after.blocked - before.blocked))
	}
	out.first = after.first - before.first
}

// shares fills in which share of the data of side from each subflow carried. why says why the
// shares are not known; it is empty if they are.
func (c *Connection) shares(from conn.Side, why string) {
	all := int64(0)
	for i := range c.Subflows {
		all += c.Subflows[i].dir(from).first
	}
	if all <= 0 {
		why = cmp.Or(why, noData)
	}
	for i := range c.Subflows {
		if d := c.Subflows[i].dir(from); why != "" {
			absent(&d.Unavailable, why, "share_percent")
		} else {
			d.Share = new(100 * float64(d.first) / float64(all))
		}
	}
}

func ms(ns int64) float64 { return float64(ns) / 1e6 }
