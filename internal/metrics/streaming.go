package metrics

import (
	"cmp"
	"time"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/report"
)

// Player holds the parameters of the player in [Config]. The zero value plays nothing.
type Player struct {
	Bitrate    float64       // bit/s at which data is used up; 0 for no player
	Playout    time.Duration // playing time of the data that must be in order before the player starts, and after each stall
	MessageGap time.Duration // pause that ends a message; 0 for the default rule, see [messages]
}

// DefaultPlayout is the playout buffer unless the user sets one.
const DefaultPlayout = 200 * time.Millisecond

// streamingUnit derives streaming. A fallback does not end it, because data comes in
// order after it, too.
var streamingUnit = &unit{
	rows:   streamingRows,
	places: []Role{Receiver},
	meter:  hasStreaming,
	report: new(streamingMeter),
	asked:  func(c *Config) bool { return c.Player.Bitrate > 0 },
	flag:   "--bitrate",
}

var streamingRows = []catalogue.Metric{
	{
		Name: "streaming", JSON: "streaming", Timed: true, Also: []string{"startup delay", "stalls", "rebuffering ratio"},
		Figures: map[string]string{"startup delay": "startup_ms", "stalls": "stalls", "rebuffering ratio": "stalled_percent"},
		Unit:    catalogue.Composite, Levels: catalogue.InBothDirs, Better: catalogue.LowerIsBetter, Form: "*Streaming",
		Definition: "What happens to a player that plays the data of a direction at a constant rate, as it comes in order: start-up delay, stalls, chunks after their deadline. Also how long the messages of the application took.",
		Formula: "R(t): bytes in order at time t; B: --bitrate; P: --playout. The player starts at t_0, the first time with R(t) >= B P. A stall begins when all of R(t) is played and more data comes later. It ends when B P bytes are in order beyond what is played, or with the last data. " +
			"A chunk with first byte x is late if it is in order after t_0 + x / B, whatever the player stalled before. stalled_percent = stalled_ms / (stalled_ms + played_ms), played_ms = R(end) / B. " +
			"A message begins with the first new data after a pause, if nothing is missing before that data. The pause is --message-gap or longer; without that option it is longer than 100 ms and than 2 srtt of the slowest path. A message is late if its last byte is in order later than P after its first arrival. messages is null where fewer than two are told apart",
		Source: "this program, for FI23, FED23 and QoE24", Evidence: catalogue.Evidence{Receiver: catalogue.Observed, Both: catalogue.Observed},
		Caveats: "All data of the direction is played, headers of the application as well. Where the application itself writes slower than --bitrate, the player stalls for want of data, not of capacity. " +
			"The time from a request to its first data is in since_open_ms, not in startup_ms. If the end of a message is lost, the message and the next one count as one, because the application did not choose the pause. " +
			"With --skip the player begins with the first data in order after it. With Multipath TCP it is a metric of the connection, and null for its subflows.",
	},
}

// streamingMeter plays the data as it arrives in order. For Multipath TCP the data
// sequence space gives the order, for plain TCP the field plain.
type streamingMeter struct {
	d        *DataDir
	player   playback
	messages messages
	plain    plainOrder

	begun bool  // something arrived
	first int64 // when the first data arrived, ns
}

func (x *streamingMeter) renew(d *DataDir) {
	var cfg *Player
	if d.m != nil {
		cfg = &d.m.k.cfg.Player
	}
	x.player.renew(cfg)
	x.messages.reset()
	x.plain.renew()
	*x = streamingMeter{d: d, player: x.player, messages: x.messages, plain: x.plain}
}

// piece takes a piece of payload, for the messages.
func (x *streamingMeter) piece(p *dss.Piece, now int64) {
	if p.Kind == dss.First {
		x.arrive(span{int64(p.Data.Start), int64(p.Data.End)}, now)
	}
}

// arrive takes data that arrived for the first time.
func (x *streamingMeter) arrive(r span, now int64) {
	if !x.begun {
		x.begun, x.first = true, now
	}
	x.messages.arrive(x, r, now)
}

// inOrder takes chunks that are in order now.
func (x *streamingMeter) inOrder(chunks []*dss.Chunk, now int64) {
	all := span{int64(chunks[0].Data.Start), int64(chunks[0].Data.End)}
	for _, c := range chunks {
		r := span{int64(c.Data.Start), int64(c.Data.End)}
		all = span{min(all.start, r.start), max(all.end, r.end)}
		x.player.chunk(r, now)
	}
	x.player.advance(all, now)
}

// payload takes a packet of plain TCP.
func (x *streamingMeter) payload(p *conn.Packet, now int64) {
	if x.d.m.Conn.Kind == conn.Multipath {
		return
	}
	sent := &p.TCP.Sent
	r := span{int64(sent.Range.Start), int64(sent.Range.End)}
	looked := x.d.looked.holds(now)
	if looked && r.end > r.start && sent.HasNew() {
		x.arrive(r, now)
	}
	x.plain.add(r)
	x.release(now, looked)
}

// ack takes an acknowledgment of plain TCP.
func (x *streamingMeter) ack(s *SubflowDir, now int64) {
	if x.d.m.Conn.Kind != conn.Multipath {
		x.plain.acked(int64(s.half.SndUna()))
		x.release(now, x.d.looked.holds(now))
	}
}

// release plays the data of plain TCP that is in order.
func (x *streamingMeter) release(now int64, looked bool) {
	x.plain.take(func(r span) {
		if looked {
			x.player.chunk(r, now)
			x.player.advance(r, now)
		}
	})
}

// close lets the player play the last data.
func (x *streamingMeter) close(int64) {
	x.player.close()
	x.messages.close(x)
}

func (*streamingMeter) reportSubflow(v *view, out *report.SubDir) {
	if v.m.Conn.Kind == conn.Multipath {
		v.Set("streaming", "it is of the data of the whole connection")
		return
	}
	out.Streaming = v.streaming()
}

func (*streamingMeter) reportConnection(v *view, out *report.ConnDir) { out.Streaming = v.streaming() }

func (v *view) streaming() *report.Streaming {
	x := cmp.Or(v.dir().streaming, noDir.streaming)
	switch {
	case v.role != Receiver:
		v.Set("streaming", atReceiverOnly)
	case v.cut != "":
		v.Set("streaming", v.cut)
	case x.plain.lost:
		v.Set("streaming", "too many packets waited for missing data at once")
	case !x.player.begun:
		v.Set("streaming", v.nothing())
	case !x.player.plays:
		v.Set("streaming", "less data came in order than the player waits for (--playout)")
	default:
		return x.figures(v)
	}
	return nil
}

func (x *streamingMeter) figures(v *view) *report.Streaming {
	p := &x.player
	played := p.time(p.origin, p.end)
	out := &report.Streaming{
		Bitrate: p.cfg.Bitrate / 1e6, Playout: ms(int64(p.cfg.Playout)),
		Startup: ms(p.start - x.first), SinceOpen: ms(p.start - v.m.Conn.Start), Played: ms(played),
		Stalls: p.stalls, Stalled: ms(p.stalled), LongestStall: ms(p.longest),
		Chunks: p.chunks, LateChunks: p.lateChunks, LateBytes: p.lateBytes,
		LatePercent: 100 * float64(p.lateChunks) / float64(p.chunks),
		Lateness:    v.Mem.Stat(&p.lateness, report.Observed), Messages: x.messages.report(v, p.cfg),
		Evidence: report.Observed,
	}
	if all := p.stalled + played; all > 0 {
		out.StalledPercent = 100 * float64(p.stalled) / float64(all)
	}
	return out
}
