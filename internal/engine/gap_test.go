package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/decode"
	"mpanalyze/internal/engine"
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
		frames, link := readFrames(t, name)
		whole := analyzedBytes(t, pcapOf(frames, link))
		r, ordinary := rand.New(rand.NewPCG(uint64(n), 7)), ordinaryFrames(frames, link)
		for _, size := range gapSizes {
			if len(frames) < 3*size {
				continue
			}
			at := placeForGap(r, ordinary, size)
			if at < 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s without %d packets from %d on", name, size, at+1), func(t *testing.T) {
				cut := analyzedBytes(t, pcapOf(slices.Concat(frames[:at], frames[at+size:]), link))
				told += compareWithGap(t, whole, cut, float64(frames[at+size].time-frames[at-1].time)/1e6)
			})
		}
	}
	if told < 10 && !testing.Short() {
		t.Errorf("only %d reports tell of a gap", told)
	}
}

// ordinaryFrames reports which records are TCP packets of open subflows without an MPTCP option
// besides DSS.
func ordinaryFrames(frames []frame, link capture.LinkType) (yes []bool) {
	d := decode.New(decode.Options{})
	for i := range frames {
		var s packet.Segment
		o := d.Decode(&capture.Raw{Num: uint64(i + 1), Time: frames[i].time, WireLen: frames[i].wire, Data: frames[i].data, Link: link}, &s)
		yes = append(yes, o == decode.TCP && s.Flags&(packet.SYN|packet.FIN|packet.RST) == 0 && s.OtherLen == 0)
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

func analyzedBytes(t *testing.T, file []byte) *report.Document {
	t.Helper()
	doc, err := engine.Analyze(context.Background(), engine.Options{Paths: []string{"-"}, Stdin: bytes.NewReader(file), Connection: engine.AllConnections})
	if err != nil {
		t.Fatal(err)
	}
	return doc
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
			if !had[v.Code] {
				t.Errorf("connection %d: verdict %s comes: %s", i, v.Code, v.Text)
			}
		}
		if len(y.CaptureGaps) > len(x.CaptureGaps) {
			told++
			if (*y.Verdicts)[0].Code != report.VerdictCaptureGap {
				t.Errorf("connection %d: %s comes first", i, (*y.Verdicts)[0].Code)
			}
		}
		roundTrip := 0.0
		for k := range x.Subflows {
			for _, d := range []*report.SubDir{x.Subflows[k].A2B, x.Subflows[k].B2A} {
				if d.RTT != nil {
					roundTrip = max(roundTrip, d.RTT.Max)
				}
			}
		}
		more := 0.0
		if gap < roundTrip {
			more = gap
		}
		for d, dirs := range [][2]*report.ConnDir{{x.A2B, y.A2B}, {x.B2A, y.B2A}} {
			if long := longestGap(y.CaptureGaps); long >= 0.1 && (dirs[1].Throughput != nil || dirs[1].HoLQueueBytes != nil) {
				t.Errorf("connection %d, %d: a throughput or a queue although packets of %v s are missing", i, d, long)
			}
			withinWhole(t, fmt.Sprintf("connection %d, %d: protocol delay", i, d), dirs[0].ProtocolDelay, dirs[1].ProtocolDelay, more)
		}
		for k := range x.Subflows {
			for d, dirs := range [][2]*report.SubDir{{x.Subflows[k].A2B, y.Subflows[k].A2B}, {x.Subflows[k].B2A, y.Subflows[k].B2A}} {
				at := fmt.Sprintf("connection %d, subflow %d, %d: ", i, k, d)
				withinWhole(t, at+"path delay", dirs[0].PathDelay, dirs[1].PathDelay, more)
				if a, b := dirs[0].RTT, dirs[1].RTT; a != nil && b != nil {
					withinWhole(t, at+"rtt", &a.Stat, &b.Stat, more)
				}
				if a, b := dirs[0].HoLWait, dirs[1].HoLWait; a != nil && b != nil {
					withinWhole(t, at+"hol_wait", &a.Stat, &b.Stat, more)
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
	frames, link := readFrames(t, sessions+"/v1/j-plain-server/client.pcap.zst")
	whole := analyzedBytes(t, pcapOf(frames, link))
	cut := analyzedBytes(t, pcapOf(slices.Concat(frames[:600], frames[700:]), link))
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
