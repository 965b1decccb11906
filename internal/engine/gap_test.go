package engine_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
)

// gapSizes are the numbers of neighbouring packets that are cut out of a session.
var gapSizes = []int{1, 8, 60, 400}

// TestGapOfTheCapture cuts packets out of the bundled sessions, none of them with another MPTCP
// option than DSS, or a control bit that opens or ends a subflow. Times are those of the whole
// session, or absent, and no verdict comes but that packets are missing from the capture.
func TestGapOfTheCapture(t *testing.T) {
	t.Parallel()
	told := 0
	for n, name := range testrun.Few(bundled(t)) {
		f := framesOf(t, name).sorted()
		whole := byEvent(t, f)
		r, ordinary := rand.New(rand.NewPCG(uint64(n), 7)), ordinaryPackets(f)
		for i, size := range gapSizes {
			if len(f.list) < 3*size {
				continue
			}
			at := placeForGap(r, ordinary, size)
			if at < 0 || !testrun.All() && (n+i)%2 == 1 {
				continue
			}
			t.Run(fmt.Sprintf("%s without %d packets from %d on", name, size, at+1), func(t *testing.T) {
				cut := byEvent(t, f.without(at, size))
				told += compareWithGap(t, whole, cut, float64(f.list[at+size].Time-f.list[at-1].Time)/1e6)
			})
		}
	}
	assert.Check(t, told >= 10 || testing.Short(), "only %d reports tell of a gap", told)
}

// byEvent returns a report whose delays are of all packets, and not of cells of time.
func byEvent(t *testing.T, f frames) *report.Document {
	t.Helper()
	o := piped(f.pcapng())
	o.Interval = 0
	return analyzed(t, o)
}

// without leaves out so many packets from a place on.
func (f frames) without(at, size int) frames {
	return f.only(func(i int) bool { return i < at || i >= at+size })
}

// ordinaryPackets reports which records are TCP packets of open subflows without an MPTCP option
// besides DSS.
func ordinaryPackets(f frames) (yes []bool) {
	for _, s := range f.segments() {
		yes = append(yes, s.Src.Port != 0 && s.Flags&(packet.SYN|packet.FIN|packet.RST) == 0 && s.OtherLen == 0)
	}
	return yes
}

// placeForGap returns the first of so many ordinary records in a row, behind a random place; -1 for
// none.
func placeForGap(r *rand.Rand, ordinary []bool, size int) int {
	run := 0
	for i := r.IntN(len(ordinary) / 2); i < len(ordinary)-1; i++ {
		if run++; !ordinary[i] {
			run = 0
		}
		if run == size && i >= size {
			return i - size + 1
		}
	}
	return -1
}

// compareWithGap compares the report on a session with that on a part of it. gap is for how long
// packets are missing, ms. It returns how many connections tell of the gap.
func compareWithGap(t *testing.T, whole, cut *report.Document, gap float64) (told int) {
	t.Helper()
	if len(cut.Connections) != len(whole.Connections) {
		return 0 // the cut part has the handshake of a connection
	}
	for i := range whole.Connections {
		x, y := &whole.Connections[i], &cut.Connections[i]
		if len(x.Subflows) != len(y.Subflows) || len(y.CaptureGaps) == 0 && len(whole.Connections) > 1 {
			continue // of several connections, one may lack acknowledgments alone, which nothing shows
		}
		had := map[report.VerdictCode]bool{report.VerdictCaptureGap: true}
		for _, v := range *x.Verdicts {
			had[v.Code] = true
		}
		for _, v := range *y.Verdicts {
			assert.Check(t, had[v.Code], "connection %d: verdict %s comes: %s", i, v.Code, v.Text)
		}
		if len(y.CaptureGaps) > len(x.CaptureGaps) {
			told++
			if (*y.Verdicts)[0].Code != report.VerdictCaptureGap {
				t.Errorf("connection %d: %s comes first", i, (*y.Verdicts)[0].Code)
			}
		}
		roundTrip, more := 0.0, 0.0
		for k := range x.Subflows {
			for _, dir := range report.Directions {
				if d := x.Subflows[k].Dir(dir); d.RTT != nil {
					roundTrip = max(roundTrip, d.RTT.Max)
				}
			}
		}
		if gap < roundTrip {
			more = gap
		}
		for _, dir := range report.Directions {
			a, b, at := x.Dir(dir), y.Dir(dir), fmt.Sprintf("connection %d, %s: ", i, dir)
			if long := longestGap(y.CaptureGaps); long >= 0.1 && (b.Throughput != nil || b.HoLQueueBytes != nil) {
				t.Errorf("%sa throughput or a queue although packets of %v s are missing", at, long)
			}
			withinWhole(t, at+"protocol delay", a.ProtocolDelay, b.ProtocolDelay, more)
			for k := range x.Subflows {
				a, b, at := x.Subflows[k].Dir(dir), y.Subflows[k].Dir(dir), fmt.Sprintf("%ssubflow %d: ", at, k)
				withinWhole(t, at+"path delay", a.PathDelay, b.PathDelay, more)
				if a.RTT != nil && b.RTT != nil {
					withinWhole(t, at+"rtt", &a.RTT.Stat, &b.RTT.Stat, more)
				}
				if a.HoLWait != nil && b.HoLWait != nil {
					withinWhole(t, at+"hol_wait", &a.HoLWait.Stat, &b.HoLWait.Stat, more)
				}
			}
		}
	}
	return told
}

// longestGap returns the time of the longest gap, seconds.
func longestGap(list report.List[report.CaptureGap]) (long float64) {
	for _, g := range list {
		long = max(long, g.DurationS)
	}
	return long
}

// TestGapOfPlainTCP: a connection of plain TCP has gaps, too.
func TestGapOfPlainTCP(t *testing.T) {
	f := framesOf(t, session("v1/j-plain-server/client.pcap.zst"))
	whole, cut := byEvent(t, f), byEvent(t, f.without(600, 100))
	if n := len(whole.TCP); n != 1 || len(whole.TCP[0].CaptureGaps) != 0 {
		t.Fatalf("%d connections of plain TCP", n)
	}
	x := &cut.TCP[0]
	if len(x.CaptureGaps) == 0 || x.A2B.IdleMax != nil || x.Verdicts[0].Code != report.VerdictCaptureGap {
		t.Errorf("gaps %v, idle_max %v, first verdict %s", x.CaptureGaps, x.A2B.IdleMax, x.Verdicts[0].Code)
	}
}

// withinWhole checks that the extremes of a figure of a capture with a gap lie within those of the
// whole session. If the gap is shorter than a round trip, nothing tells that the first ACK after it
// is not that of the oldest data, so a time may be longer by the gap: more, ms.
func withinWhole(t *testing.T, what string, whole, cut *report.Stat, more float64) {
	t.Helper()
	if whole == nil || cut == nil {
		return
	}
	if cut.Max > whole.Max+more+0.01 || cut.Min < whole.Min-0.01 {
		t.Errorf("%s: %v to %v, in the whole session %v to %v", what, cut.Min, cut.Max, whole.Min, whole.Max)
	}
}
