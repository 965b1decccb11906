package metrics

import (
	"math"

	"mpanalyze/internal/stats"
)

// span is a part of a direction's data, by the positions of its sequence space.
type span struct{ start, end int64 }

// playback is a player that uses up data as it comes in order. A stall is found when
// the data that the player waited for comes, so the end of all data is not a stall.
type playback struct {
	cfg      *Player
	lateness stats.Dist // of late chunks, ms

	begun       bool // something came in order
	origin, end int64
	latest      int64 // when the latest data came in order, ns

	plays   bool
	start   int64 // when the player began, ns
	waits   bool  // it stalls
	since   int64 // since when it stalls, ns
	empty   int64 // end of the data that it had then
	stalls  int64
	stalled int64 // ns, of stalls that are over
	longest int64 // ns

	chunks, lateChunks, lateBytes int64
}

func (x *playback) renew(cfg *Player) {
	*x = playback{cfg: cfg, lateness: x.lateness.Renewed()}
}

// chunk counts a chunk that is in order now. It is late if the player needed its first
// byte earlier. Chunks that came before the player began are not late.
func (x *playback) chunk(r span, now int64) {
	x.chunks++
	if !x.plays {
		return
	}
	if by := now - x.start - x.time(x.origin, r.start); by > 0 {
		x.lateChunks++
		x.lateBytes += r.end - r.start
		x.lateness.Add(ms(by))
	}
}

// advance takes data that is in order now: all data below the end of r. It is called
// after [playback.chunk].
func (x *playback) advance(r span, now int64) {
	if !x.begun {
		x.begun, x.origin, x.end = true, r.start, r.start
	}
	if dry := x.start + x.stalled + x.time(x.origin, x.end); x.plays && !x.waits && now > dry {
		x.waits, x.since, x.empty = true, dry, x.end
		x.stalls++
	}
	x.end, x.latest = max(x.end, r.end), now
	switch buffer := int64(x.cfg.Playout); {
	case !x.plays:
		x.plays, x.start = x.time(x.origin, x.end) >= buffer, now
	case x.waits && x.time(x.empty, x.end) >= buffer:
		x.resume(now)
	}
}

// resume ends a stall.
func (x *playback) resume(now int64) {
	x.waits = false
	x.stalled += now - x.since
	x.longest = max(x.longest, now-x.since)
}

// time returns how long a part of the data plays, ns, longestPlay at most.
func (x *playback) time(from, to int64) int64 {
	return int64(min(math.Round(float64(to-from)*8e9/x.cfg.Bitrate), longestPlay))
}

// longestPlay is 73 years. It can be added to any time without overflow. Only data with
// sequence numbers that jump would take longer.
const longestPlay = 1 << 61

// close lets the player play the last data.
func (x *playback) close() {
	if x.waits {
		x.resume(x.latest)
	}
}
