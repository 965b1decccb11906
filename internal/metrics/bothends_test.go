package metrics

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/stats"
	"mpanalyze/internal/tracegen"
)

// exchange is when a segment leaves A and reaches B, and when its acknowledgment leaves B and
// reaches A.
type exchange struct{ sent, there, answered, back time.Duration }

// inFlightOfExchanges is the number of segments in flight.
const inFlightOfExchanges = 4

// exchanges returns a transfer in which each segment and each acknowledgment takes a time of its own on the way,
// and B takes a time of its own for each answer. The acknowledgment of a segment lets A send the
// fourth one after it at once.
func exchanges(n int) []exchange {
	list := make([]exchange, n)
	for i := range list {
		x := &list[i]
		if x.sent = 1000*msec + time.Duration(6*i)*msec; i >= inFlightOfExchanges {
			x.sent = list[i-inFlightOfExchanges].back
		}
		x.there = x.sent + 10*msec + time.Duration(7*i%5)*200*time.Microsecond
		x.answered = x.there + 1*msec + time.Duration(3*i%7)*300*time.Microsecond
		x.back = x.answered + 10*msec + time.Duration(5*i%3)*200*time.Microsecond
	}
	return list
}

// atReceiver returns what a capture at B must give of exchanges. The first sample is the handshake's
// round trip. Each other one is the time from an acknowledgment to the segment that it lets A send,
// and the latest time from a segment to its acknowledgment. A delay is the smoothed round trip and the time from the segment to its
// acknowledgment. All are in ms.
func atReceiver(list []exchange) (rtt, srtt, rttvar, delays []float64) {
	rtt = []float64{20}
	srtt, rttvar = smoothed(rtt)
	sampled := inFlightOfExchanges // the first segments answer no acknowledgment of data
	for i := range list {
		for ; sampled < len(list) && list[sampled].there <= list[i].answered; sampled++ {
			latest := i - 1
			for list[latest].answered > list[sampled].there {
				latest--
			}
			far := list[sampled].there - list[sampled-inFlightOfExchanges].answered
			rtt = append(rtt, inMs(far+list[latest].answered-list[latest].there))
			srtt, rttvar = smoothed(rtt)
		}
		delays = append(delays, srtt[len(srtt)-1]+inMs(list[i].answered-list[i].there))
	}
	return rtt, srtt, rttvar, delays
}

func inMs(d time.Duration) float64 { return float64(d) / float64(msec) }

// smoothed returns SRTT and RTTVAR after each sample (RFC 6298, Section 2).
func smoothed(rtt []float64) (srtt, rttvar []float64) {
	s, v := rtt[0], rtt[0]/2
	for i, r := range rtt {
		if i > 0 {
			v += (math.Abs(s-r) - v) / 4
			s += (r - s) / 8
		}
		srtt, rttvar = append(srtt, s), append(rttvar, v)
	}
	return srtt, rttvar
}

// TestBothEnds: the round trips and delays of a transfer whose times vary with each packet, at both
// of its ends.
func TestBothEnds(t *testing.T) {
	list := exchanges(60)
	s, f := onePath(tracegen.Config{Version: 1})
	var rtt, delays []float64
	for i, x := range list {
		if i > 0 && (x.there < list[i-1].answered || x.back <= list[i-1].back) {
			t.Fatalf("segment %d: %v comes before the answer to the one before: %v", i, x, list[i-1])
		}
		f.Data(tracegen.A2B, x.sent, int64(1000*i), 1000).Late(x.there - x.sent - 10*msec)
		f.Ack(tracegen.B2A, x.answered).Late(x.back - x.answered - 10*msec)
		delays = append(delays, inMs(x.back-x.sent))
	}
	rtt = append([]float64{20}, delays...) // the handshake is a sample at the sender
	srtt, rttvar := smoothed(rtt)
	m := measure(t, s, tracegen.HostA, Config{})
	checkRoundTrips(t, m, rtt, srtt, rttvar, delays)
	dist(t, "rtt_newest", &m.Subs[0].Dir(conn.A).Newest, int64(len(rtt)), mean(rtt), slices.Min(rtt), slices.Max(rtt)) // each acknowledgment is of one segment
	sender := rtt[inFlightOfExchanges:]
	rtt, srtt, rttvar, delays = atReceiver(list)
	m = measure(t, s, tracegen.HostB, Config{})
	checkRoundTrips(t, m, rtt, srtt, rttvar, delays)
	if n := m.Subs[0].Dir(conn.A).Newest.N(); n != 0 {
		t.Errorf("rtt_newest at the receiver: %d values", n)
	}
	// Over a long time the sums of the halves are the round trips: what differs are the ends.
	if a, b := mean(sender[1:]), mean(rtt[1:]); math.Abs(a-b) > 0.01*a {
		t.Errorf("the mean round trip is %g ms at the sender, %g at the receiver", a, b)
	}
}

func mean(values []float64) (sum float64) {
	for _, v := range values {
		sum += v / float64(len(values))
	}
	return sum
}

// checkRoundTrips compares the figures of A's data with those of a transfer.
func checkRoundTrips(t *testing.T, m *measured, rtt, srtt, rttvar, delays []float64) {
	t.Helper()
	d := m.Subs[0].Dir(conn.A)
	rto := make([]float64, len(srtt))
	for i := range rto {
		rto[i] = srtt[i] + max(200, 4*rttvar[i])
	}
	if d.Delays().Clipped != 0 { // each acknowledgment of a segment comes with its DATA_ACK
		t.Errorf("%v: %d waits clipped", m.Vantage, d.Delays().Clipped)
	}
	for _, c := range []struct {
		what   string
		of     *Series
		dist   *stats.Dist
		want   []float64
		weight int
	}{
		{"rtt", seriesRTT, &d.RTT, rtt, 1},
		{"srtt", seriesSRTT, &d.SRTT, srtt, 1},
		{"rttvar", seriesRTTVar, &d.RTTVar, rttvar, 1},
		{"rto", seriesRTO, &d.RTO, rto, 1},
		{"path_delay", seriesPathDelay, &d.Delays().Path, delays, 1000},
	} {
		got, _ := m.series(c.of, 0, conn.A)
		assert.Check(t, is.DeepEqual(got, c.want, cmpopts.EquateApprox(1e-9, 0)), "%v, %s", m.Vantage, c.what)
		if c.dist.N() != int64(len(c.want)) {
			t.Errorf("%v, %s: %d values, want %d", m.Vantage, c.what, c.dist.N(), len(c.want))
		}
		all := slices.Repeat(c.want, c.weight)
		got = append([]float64{c.dist.Mean()}, c.dist.Quantiles(0.5, 0.99)...)
		assert.Check(t, is.DeepEqual(got, []float64{mean(c.want), quantile(all, 0.5), quantile(all, 0.99)}, cmpopts.EquateApprox(1e-6, 0)), "%v, mean and percentiles of %s", m.Vantage, c.what)
	}
}

// quantile interpolates between the two values around a place (type 7 of Hyndman and Fan).
func quantile(values []float64, q float64) float64 {
	s := slices.Sorted(slices.Values(values))
	at := q * float64(len(s)-1)
	i := min(int(at), len(s)-2)
	return s[i] + (at-float64(i))*(s[i+1]-s[i])
}
