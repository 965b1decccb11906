package pair

import (
	"math"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/pair/clock"
)

// TestScore: other timestamps refuse an arrival, unless none of 64 arrivals before had those of its packet: then a
// middlebox writes them. Other IP identifications refuse it if some were kept, both packets have one and not both have
// timestamps. What is left is compared by the distance to the latest delay, or by the distance of the times.
func TestScore(t *testing.T) {
	const same = 1 << 62 // what an equal identification counts
	base := func() (matchedSubflowDir, sentPart, arrivedPart) {
		d := matchedSubflowDir{hasDelay: true, lastDelay: 30}
		return d, sentPart{time: 100, ipid: 7, tsval: 5, hasTS: true, segmentBytes: 1000, size: 1000},
			arrivedPart{time: 150, ipid: 900, tsval: 5, hasTS: true, segmentBytes: 1000, size: 1000}
	}
	for name, c := range map[string]struct {
		change func(d *matchedSubflowDir, c *sentPart, a *arrivedPart)
		score  int64
		ok     bool
	}{
		"timestamps agree":                      {func(*matchedSubflowDir, *sentPart, *arrivedPart) {}, -20, true},
		"a delay shorter than the latest":       {func(d *matchedSubflowDir, _ *sentPart, _ *arrivedPart) { d.lastDelay = 75 }, -25, true},
		"no delay yet":                          {func(d *matchedSubflowDir, _ *sentPart, _ *arrivedPart) { d.hasDelay = false }, -50, true},
		"no delay yet, and the clock is behind": {func(d *matchedSubflowDir, c *sentPart, _ *arrivedPart) { d.hasDelay, c.time = false, 190 }, -40, true},
		"the identification agrees":             {func(_ *matchedSubflowDir, _ *sentPart, a *arrivedPart) { a.ipid = 7 }, same - 20, true},
		"other timestamps":                      {func(_ *matchedSubflowDir, c *sentPart, _ *arrivedPart) { c.tsval = 6 }, 0, false},
		"the 64th other timestamps":             {func(d *matchedSubflowDir, c *sentPart, _ *arrivedPart) { c.tsval, d.otherTimestamps = 6, 63 }, 0, false},
		"the 65th other timestamps":             {func(d *matchedSubflowDir, c *sentPart, _ *arrivedPart) { c.tsval, d.otherTimestamps = 6, 64 }, -20, true},
		"after a match": {func(d *matchedSubflowDir, c *sentPart, _ *arrivedPart) {
			c.tsval, d.otherTimestamps, d.MatchedPackets = 6, 64, 1
		}, 0, false},
		"timestamps removed on the way":          {func(_ *matchedSubflowDir, c *sentPart, a *arrivedPart) { c.tsval, a.hasTS = 6, false }, -20, true},
		"timestamps added on the way":            {func(_ *matchedSubflowDir, c *sentPart, a *arrivedPart) { c.tsval, c.hasTS = 6, false }, -20, true},
		"kept identifications, timestamps agree": {func(d *matchedSubflowDir, _ *sentPart, _ *arrivedPart) { d.keptIDs = 1 }, -20, true},
		"kept identifications":                   {func(d *matchedSubflowDir, _ *sentPart, a *arrivedPart) { d.keptIDs, a.hasTS = 1, false }, 0, false},
		"kept, timestamps only on arrival":       {func(d *matchedSubflowDir, c *sentPart, _ *arrivedPart) { d.keptIDs, c.hasTS = 1, false }, 0, false},
		"kept, none sent":                        {func(d *matchedSubflowDir, c *sentPart, a *arrivedPart) { d.keptIDs, a.hasTS, c.ipid = 1, false, 0 }, -20, true},
		"kept, none arrived":                     {func(d *matchedSubflowDir, _ *sentPart, a *arrivedPart) { d.keptIDs, a.hasTS, a.ipid = 1, false, 0 }, -20, true},
		"kept, and this one too":                 {func(d *matchedSubflowDir, _ *sentPart, a *arrivedPart) { d.keptIDs, a.hasTS, a.ipid = 1, false, 7 }, same - 20, true},
	} {
		d, sent, arrived := base()
		c.change(&d, &sent, &arrived)
		score, ok := d.score(&sent, &arrived)
		assert.Check(t, ok == c.ok && (!ok || score == c.score), "%s: %d, %t; want %d, %t", name, score, ok, c.score, c.ok)
	}
}

// TestTooEarly: a packet may take up to 5 ms less than the least delay so far, 20 ms. Timestamps of both packets or the
// identification decide without that.
func TestTooEarly(t *testing.T) {
	d := matchedSubflowDir{hasDelay: true, leastDelay: 20e6}
	for name, c := range map[string]struct {
		d    *matchedSubflowDir
		c    sentPart
		a    arrivedPart
		want bool
	}{
		"5 ms less":                    {&d, sentPart{time: 1e9}, arrivedPart{time: 1e9 + 15e6}, false},
		"more than 5 ms less":          {&d, sentPart{time: 1e9}, arrivedPart{time: 1e9 + 15e6 - 1}, true},
		"no delay yet":                 {&matchedSubflowDir{leastDelay: 20e6}, sentPart{time: 1e9}, arrivedPart{}, false},
		"timestamps":                   {&d, sentPart{time: 1e9, hasTS: true}, arrivedPart{hasTS: true}, false},
		"timestamps of the sent one":   {&d, sentPart{time: 1e9, hasTS: true}, arrivedPart{}, true},
		"timestamps of the arrived":    {&d, sentPart{time: 1e9}, arrivedPart{hasTS: true}, true},
		"the same identification":      {&d, sentPart{time: 1e9, ipid: 3}, arrivedPart{ipid: 3}, false},
		"an identification of 0, both": {&d, sentPart{time: 1e9}, arrivedPart{}, true},
	} {
		assert.Check(t, is.Equal(c.d.tooEarly(&c.c, &c.a), c.want), "%s", name)
	}
}

// TestDelayBounds: least, largest and latest delay, and the delay of the earliest arrival, whatever the order.
func TestDelayBounds(t *testing.T) {
	var d matchedSubflowDir
	for _, x := range [][2]int64{{40, 500}, {70, 400}, {20, 600}, {30, 450}} { // delay, arrival
		d.noteDelay(x[0], x[1])
	}
	got := [5]int64{d.leastDelay, d.mostDelay, d.lastDelay, d.firstDelay, d.firstArrival}
	assert.Check(t, got == [5]int64{20, 70, 30, 70, 400}, "least, largest, latest, first, its arrival: %v", got)
}

// TestSpacing: packets with payload take 50 ms to B, pure ACKs 60 ms, both 40 ms back. Where the spacing tells that the
// payload alone takes 20 ms, a packet without it takes 50 - 20 ms: half of the least round trip is (30 + 40)/2 ms, else
// (60 + 40)/2. Of 21.6 ms between arrivals of 1000 bytes, 80 bytes of headers take 1.6. Spacing counts between packets that
// left within a quarter of that time, in their order, are full-sized, and no merged ones. There must be 16.
func TestSpacing(t *testing.T) {
	const apart = 21_600_000
	for _, c := range []struct {
		name      string
		leftApart int64
		n         int64
		packets   int
		want      float64
	}{
		{"together", 0, 1000, 17, 35}, // the first packet has none before it
		{"too few", 0, 1000, 16, 50},
		{"less than a quarter", apart/4 - 1, 1000, 17, 35},
		{"a quarter", apart / 4, 1000, 17, 50},
		{"in another order", -1, 1000, 17, 50},
		{"more than a segment", 0, 1001, 17, 50},
		{"8/9 of a segment and more", 0, 889, 17, (60 + 40 - 10 - 889*21.6/969) / 2},
		{"less", 0, 888, 17, 50},
	} {
		l := newTestLink()
		d, back := &l.dirs[conn.A], &l.dirs[conn.B]
		for i := range int64(c.packets) {
			d.noteSpacing(&sentPart{time: 1e9 + i*c.leftApart, segmentBytes: 1000}, 2e9+i*apart, c.n)
			d.path.FullSized(AtSender, 2e9+i*apart, 50e6)
			d.path.PureAck(AtSender, 2e9+i*apart, 60e6, true)
			back.path.PureAck(AtReceiver, 2e9+i*apart, 40e6, true)
		}
		k := l.pair.Clock(clock.Offset)
		assert.Check(t, math.Abs(k.Bound-c.want) <= 1e-3, "%s: half of the round trip is %v ms, want %v", c.name, k.Bound, c.want)
	}
}

// TestFullSized: a packet has a full payload from 8/9 of a segment on. A smaller one does not show the clocks.
func TestFullSized(t *testing.T) {
	for n, full := range map[int64]bool{888: false, 889: true, 1000: true} {
		l := newTestLink()
		for side := range l.dirs {
			l.dirs[side].enterDelay(&sentPart{time: 1e9, segmentBytes: 1000}, 1e9+10e6, n)
		}
		k := l.pair.Clock(clock.Offset)
		assert.Check(t, (k.Nothing == "") == full, "%d bytes: %+v", n, k)
	}
}

// TestUntimed: no delay is measured from a packet or to a packet whose time is not its own.
func TestUntimed(t *testing.T) {
	for _, c := range []struct {
		sent, arrived packet.Present
		want          int64
	}{{0, 0, 1}, {packet.Untimed, 0, 0}, {0, packet.Untimed, 0}} {
		d := &newTestLink().dirs[conn.A]
		d.takeSent(&packet.Segment{Time: 1e9, Seq: 1, PayloadLen: size, Have: c.sent}, size)
		d.takeArrived(&packet.Segment{Time: 2e9, Seq: 1, PayloadLen: size, Have: c.arrived}, size)
		assert.Check(t, d.OWD.Raw.N() == c.want && d.MatchedPackets == 1, "%+v: %d delays of %d packets", c, d.OWD.Raw.N(), d.MatchedPackets)
	}
}

// TestSegments: bytes in segments, rounded up; without a known size any payload is one.
func TestSegments(t *testing.T) {
	for _, c := range [][3]int64{{0, 1000, 0}, {1, 1000, 1}, {1000, 1000, 1}, {1001, 1000, 2}, {2000, 1000, 2}, {5000, 0, 1}, {0, 0, 0}} {
		assert.Check(t, is.Equal(segments(c[0], c[1]), c[2]), "segments of %d bytes of %d each", c[0], c[1])
	}
}

// TestOptions: a change of the length, of timestamps or of MPTCP options is seen. Where a capture cut the options, only
// the length is compared.
func TestOptions(t *testing.T) {
	const ts, dss, cut = packet.HasTimestamps, packet.HasDSS, packet.OptionsCut
	seg := func(words uint8, have packet.Present, other uint8) packet.Segment {
		return packet.Segment{OptLen: 4 * words, Have: have, OtherLen: other}
	}
	for name, c := range map[string]struct {
		a, b packet.Segment
		want bool
	}{
		"the same":                      {seg(8, ts|dss, 0), seg(8, ts|dss|packet.HasMSS, 0), false},
		"another length":                {seg(8, ts, 0), seg(7, ts, 0), true},
		"the longest":                   {seg(10, ts, 0), seg(9, ts, 0), true},
		"no timestamps":                 {seg(8, ts|dss, 0), seg(8, dss, 0), true},
		"no DSS":                        {seg(8, ts|dss, 0), seg(8, ts, 0), true},
		"no ADD_ADDR":                   {seg(8, ts, 8), seg(8, ts, 0), true},
		"DSS for ADD_ADDR":              {seg(8, ts|dss, 0), seg(8, ts, 8), false},
		"cut, the same length":          {seg(8, ts|dss|cut, 0), seg(8, 0, 0), false},
		"cut at the other end":          {seg(8, 0, 0), seg(8, ts|dss|cut, 0), false},
		"cut, another length":           {seg(8, ts|cut, 0), seg(7, ts|cut, 0), true},
		"cut, timestamps only in there": {seg(8, cut, 0), seg(8, ts|cut, 0), false},
	} {
		assert.Check(t, is.Equal(optionsOf(&c.a).differs(optionsOf(&c.b)), c.want), "%s: differs", name)
	}
}
