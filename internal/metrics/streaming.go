package metrics

import (
	"cmp"
	"time"

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
	key:    "streaming",
	places: []Role{Receiver},
	meter:  hasStreaming,
	report: new(streamingMeter),
	asked:  func(c *Config) bool { return c.Player.Bitrate > 0 },
	flag:   "--stream",
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
		v.Set("streaming", "less data came in order than the player waits for (--stream playout)")
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
