package metrics

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/tracegen"
)

// blocked plays head-of-line blocking. Three chunks are sent at 1000 ms. The lowest uses
// the slow path and is lost. The others reach B over the fast path at 1010 ms and are
// acknowledged there by A's 1020 ms. The copy is sent at 1200 and arrives at 1250; its
// DATA_ACK for all three returns over the slow path at 1300 ms.
func blocked() *tracegen.Session {
	s, fast, slow := twoPaths(tracegen.Config{Version: 1})
	// A round trip on each path; the later ones need no other.
	acked(fast, 400*msec, 0, 1000)
	acked(slow, 400*msec, 1000, 1000)
	lost := slow.Data(tracegen.A2B, 1000*msec, 2000, 1000).Lose()
	acked(fast, 1000*msec, 3000, 1000)
	acked(fast, 1000*msec, 4000, 1000)
	again := lost.Again(1200 * msec)
	slow.Ack(tracegen.B2A, again.ArrivesAt())
	return s
}

func TestBlockedHeadOfLineAtSender(t *testing.T) {
	m := measure(t, blocked(), tracegen.HostA, Config{Interval: 100 * msec})
	fast, slow, c := m.Subs[0].Dir(conn.A), m.Subs[1].Dir(conn.A), m.Dir(conn.A)
	// The first chunk of each path takes its round trip, the later ones 300 ms.
	dist(t, "fast path_delay", &fast.Delays().Path, 3, (20+300+300)/3., 20, 300)
	dist(t, "slow path_delay", &slow.Delays().Path, 2, (100+300)/2., 100, 300)
	// The copy gives a sample by its timestamp, 100 ms again: SRTTs stay at 20 and 100 ms.
	dist(t, "fast waiting_time", fast.WaitingTime(), 3, (0+280+280)/3., 0, 280)
	dist(t, "slow waiting_time", slow.WaitingTime(), 2, (0+200)/2., 0, 200)
	// Acknowledged on their subflow at 1020, covered at 1300 ms; the head of line by one and the same packet.
	dist(t, "fast hol_wait", &fast.Delays().HoLWait, 3, (0+280+280)/3., 0, 280)
	dist(t, "slow hol_wait", &slow.Delays().HoLWait, 2, 0, 0, 0)
	// Cells with DATA_ACKs: at 420, at 500 and at 1300 ms; the grid begins at 400.
	// 420: 20 - 20. 500: 100 - 100. 1300: max(300, 300) - max(20, 100).
	dist(t, "protocol_delay", &c.Delays().Protocol, 3, (20+100+300)/3., 20, 300)
	dist(t, "hol_degree", &c.Delays().HoLDegree, 3, (0+0+200)/3., 0, 200)
	// The waits of 280 ms on the fast path and 0 on the slow one: max(20+280, 100+0) - max(20, 100).
	dist(t, "hol_blocking", &c.Delays().HoLBlocking, 3, (0+0+200)/3., 0, 200)
	// Against all open paths the first cell has 20 - 100.
	dist(t, "hol_degree_all_paths", &c.Delays().HoLDegreeAllPaths, 3, (-80+0+200)/3., -80, 200)
	// Of the time from the first acknowledgment at 420 to the last data at 1200 ms the two chunks wait
	// from 1020 on, a segment each.
	bytes, segments := &c.HoLQueue().Bytes, &c.HoLQueue().Segments
	near(t, "hol_queue mean", bytes.Mean(), 2000*180/780.)
	near(t, "hol_queue max", bytes.Max(), 2000)
	near(t, "hol_queue segments", segments.Dist().Mean(), 2*180/780.)
	// Both arrived before the first of their ACKs was sent, so one ACK covers both.
	values, times := m.series(seriesHoLQueue, -1, conn.A)
	if d := cmp.Diff([]float64{0, 2000, 0}, values); d != "" {
		t.Error("hol_queue:", d)
	}
	if d := cmp.Diff([]time.Duration{420 * msec, 1020 * msec, 1300 * msec}, times); d != "" {
		t.Error("hol_queue:", d)
	}
}

func TestBlockedHeadOfLineAtReceiver(t *testing.T) {
	m := measure(t, blocked(), tracegen.HostB, Config{Interval: 100 * msec})
	fast, slow, c := m.Subs[0].Dir(conn.A), m.Subs[1].Dir(conn.A), m.Dir(conn.A)
	// Arrival at 1010, DATA_ACK at 1250 ms; the round trip is added. The loss of the head of line does not show.
	dist(t, "fast hol_wait", &fast.Delays().HoLWait, 3, (0+240+240)/3., 0, 240)
	dist(t, "fast in_order_wait", fast.InOrderWait(), 3, (0+240+240)/3., 0, 240)
	dist(t, "fast path_delay", &fast.Delays().Path, 3, (20+260+260)/3., 20, 260)
	dist(t, "slow path_delay", &slow.Delays().Path, 2, 100, 100, 100)
	dist(t, "slow waiting_time", slow.WaitingTime(), 2, 0, 0, 0)
	// Grid from 410 on: DATA_ACKs at 410, 450 (one cell) and 1250 ms.
	// First cell: max(20, 100) - 100; second: max(260, 100) - max(20, 100).
	dist(t, "protocol_delay", &c.Delays().Protocol, 2, (100+260)/2., 100, 260)
	dist(t, "hol_degree", &c.Delays().HoLDegree, 2, (0+160)/2., 0, 160)
	// The second: max(20+240, 100+0) - max(20, 100).
	dist(t, "hol_blocking", &c.Delays().HoLBlocking, 2, (0+160)/2., 0, 160)
	// From the first data at 410 to the last at 1250 ms; at the end all three wait for an instant.
	bytes := &c.HoLQueue().Bytes
	near(t, "hol_queue mean", bytes.Mean(), 2000*240/840.)
	near(t, "hol_queue max", bytes.Max(), 3000)
}

// TestQueueBeginsWithPayload: A's SYN of the join is acknowledged at 300 ms. That is after
// the first data, sent at 295 ms, and before its acknowledgment at 315 ms. The SYN is no
// data, so its acknowledgment shows nothing about waiting data.
func TestQueueBeginsWithPayload(t *testing.T) {
	s, fast, _ := twoPaths(tracegen.Config{Version: 1})
	acked(fast, 295*msec, 0, 1000)
	x := fast.Data(tracegen.A2B, 380*msec, 1000, 1000).Lose()
	acked(fast, 400*msec, 2000, 1000)
	again := x.Again(430 * msec)
	fast.Ack(tracegen.B2A, again.ArrivesAt())
	fast.Data(tracegen.A2B, 515*msec, 3000, 1000)
	m := measure(t, s, tracegen.HostA, Config{Interval: 100 * msec})
	bytes := &m.Dir(conn.A).HoLQueue().Bytes
	// 1000 bytes are SACKed at 420, and a DATA_ACK covers them at 450 ms: 30 of the 200 ms from 315 to 515.
	near(t, "hol_queue mean", bytes.Mean(), 1000*30/200.)
}

// TestQueuePeakBehindTheData: the last data segment is sent at 402 ms and acknowledged on
// its subflow at 422 ms; the segment below it, on the slow path, with the DATA_ACK at 501
// ms. The time that counts begins at 400 ms and ends before the segment waits.
func TestQueuePeakBehindTheData(t *testing.T) {
	s, fast, slow := twoPaths(tracegen.Config{Version: 1})
	acked(fast, 380*msec, 0, 1000)
	below := slow.Data(tracegen.A2B, 401*msec, 1000, 1000)
	acked(fast, 402*msec, 2000, 1000)
	slow.Ack(tracegen.B2A, below.ArrivesAt())
	m := measure(t, s, tracegen.HostA, Config{Interval: 100 * msec})
	bytes := &m.Dir(conn.A).HoLQueue().Bytes
	near(t, "hol_queue mean", bytes.Mean(), 0)
	if bytes, segments := m.Dir(conn.A).HoLQueue().Peak(); bytes != 1000 || segments != 1 {
		t.Errorf("peak of %d bytes, %d segments, want 1000 and 1", bytes, segments)
	}
	values, _ := m.series(seriesHoLQueue, -1, conn.A)
	assert.Check(t, is.DeepEqual(values, []float64{0, 1000, 0}))
	// Of the time up to 410 ms, which is 30 ms behind the first data, none of it is to be seen.
	m = measure(t, s, tracegen.HostA, Config{Interval: 100 * msec, Until: 30 * msec})
	if bytes, _ := m.Dir(conn.A).HoLQueue().Peak(); bytes != 0 {
		t.Errorf("peak of %d bytes up to 410 ms, want 0", bytes)
	}
	if values, _ = m.series(seriesHoLQueue, -1, conn.A); len(values) != 1 || values[0] != 0 {
		t.Errorf("series %v up to 410 ms, want 0", values)
	}
}

// TestOpenAtTheEndOfItsCell: the reset of the slow path at 510 ms is the first packet after
// the cell from 400 to 500 ms. The path was open at the end of that cell.
func TestOpenAtTheEndOfItsCell(t *testing.T) {
	s, fast, slow := twoPaths(tracegen.Config{Version: 1})
	acked(fast, 400*msec, 0, 1000)
	slow.RST(tracegen.A2B, 510*msec)
	acked(fast, 600*msec, 1000, 1000) // in the cell from 600 ms on, when it is gone
	m := measure(t, s, tracegen.HostA, Config{Interval: 100 * msec})
	dist(t, "hol_degree_all_paths", &m.Dir(conn.A).Delays().HoLDegreeAllPaths, 2, (20-100+0)/2., 20-100, 0)
	// Of one sample per DATA_ACK the first is from 420 ms, before the reset, too.
	m = measure(t, s, tracegen.HostA, Config{})
	dist(t, "hol_degree_all_paths", &m.Dir(conn.A).Delays().HoLDegreeAllPaths, 2, (20-100+0)/2., 20-100, 0)
}

// TestOvertaken: the DATA_ACK of a chunk on the slow path returns over the fast one, before
// the slow path's own ACK. Such a chunk did not wait.
func TestOvertaken(t *testing.T) {
	s, fast, slow := twoPaths(tracegen.Config{Version: 1})
	x := slow.Data(tracegen.A2B, 400*msec, 0, 1000)
	fast.Ack(tracegen.B2A, x.ArrivesAt()) // at A after 50 + 10 ms
	slow.Ack(tracegen.B2A, x.ArrivesAt())
	m := measure(t, s, tracegen.HostA, Config{Interval: 100 * msec})
	d := m.Subs[1].Dir(conn.A)
	dist(t, "path_delay", &d.Delays().Path, 1, 60, 60, 60)
	dist(t, "waiting_time", d.WaitingTime(), 1, 60-100, 60-100, 60-100)
	dist(t, "hol_wait", &d.Delays().HoLWait, 1, 0, 0, 0)
	if d.Delays().Clipped != 1 {
		t.Errorf("clipped %d, want 1", d.Delays().Clipped)
	}
	// T is 60 ms on a path of 100 ms: the degree is negative though nothing waited.
	dist(t, "hol_degree", &m.Dir(conn.A).Delays().HoLDegree, 1, 60-100, 60-100, 60-100)
	dist(t, "hol_blocking", &m.Dir(conn.A).Delays().HoLBlocking, 1, 0, 0, 0)
}

// TestBlockingWeighsByBytes: on the slow path of 100 ms, a chunk of 3000 bytes waits 200 ms
// for the copy of data that the fast path lost; one of 1000 bytes, sent 50 ms later, waits
// 150 ms. The mean is (3000*200 + 1000*150) / 4000 ms.
func TestBlockingWeighsByBytes(t *testing.T) {
	s, fast, slow := twoPaths(tracegen.Config{Version: 1})
	lost := fast.Data(tracegen.A2B, 1000*msec, 0, 1000).Lose()
	acked(slow, 1000*msec, 1000, 3000)        // arrives at 1050, acknowledged on its subflow at 1100 ms
	acked(slow, 1050*msec, 4000, 1000)        // at 1150 ms
	again := lost.Again(1240 * msec)          // arrives at 1250 ms
	slow.Ack(tracegen.B2A, again.ArrivesAt()) // covers all at 1300 ms
	m := measure(t, s, tracegen.HostA, Config{Interval: 100 * msec})
	// One cell, from 1300 ms on; the fast path takes part in it with the copy's chunk, which did not wait
	// (its own ACK has not come: clipped).
	mean := (3000*200 + 1000*150) / 4000.
	dist(t, "hol_blocking", &m.Dir(conn.A).Delays().HoLBlocking, 1, mean, mean, mean)
	values, times := m.series(seriesHoLBlocking, -1, conn.A)
	assert.Check(t, is.DeepEqual(values, []float64{mean}))
	assert.Check(t, is.DeepEqual(times, []time.Duration{1300 * msec}))
}

// cells sends three chunks whose DATA_ACKs reach A at given times; the grid
// begins with the first at 400 ms.
func cells(t *testing.T, cfg Config, at ...time.Duration) *measured {
	t.Helper()
	s, f := onePath(tracegen.Config{Version: 1})
	for i, back := range at {
		f.Data(tracegen.A2B, 400*msec+time.Duration(i)*msec, int64(1000*i), 1000)
		f.Ack(tracegen.B2A, back-10*msec)
	}
	return measure(t, s, tracegen.HostA, cfg)
}

// TestGrid: a time on a boundary belongs to the cell that begins there, cells without a
// DATA_ACK are no samples, and a cell weighs by bytes.
func TestGrid(t *testing.T) {
	// One acknowledgment of all three at 500 ms: the second cell, delays of 100, 99 and 98 ms.
	m := cells(t, Config{Interval: 100 * msec}, 500*msec, 500*msec, 500*msec)
	values, times := m.series(seriesProtocolDelay, -1, conn.A)
	assert.Check(t, is.DeepEqual(values, []float64{99}))
	if d := cmp.Diff([]time.Duration{500 * msec}, times); d != "" { // the beginning of the cell
		t.Error(d)
	}
	// A nanosecond earlier it is the first cell.
	m = cells(t, Config{Interval: 100 * msec}, 500*msec-1, 500*msec-1, 500*msec-1)
	if _, times = m.series(seriesProtocolDelay, -1, conn.A); len(times) != 1 || times[0] != 400*msec {
		t.Errorf("cells at %v, want 400ms", times)
	}
	// Two DATA_ACKs, several cells apart: at 450 all of the first, at 850 nothing new, so one sample.
	m = cells(t, Config{Interval: 100 * msec}, 450*msec, 450*msec, 850*msec)
	dist(t, "protocol_delay", &m.Dir(conn.A).Delays().Protocol, 1, 49, 49, 49)
}

// TestSampleForEachDataAck: with an interval of 0 each advance of the DATA_ACK is a sample;
// an ACK that repeats it is not.
func TestSampleForEachDataAck(t *testing.T) {
	s, f := onePath(tracegen.Config{Version: 1})
	acked(f, 400*msec, 0, 1000)
	f.Data(tracegen.A2B, 401*msec, 1000, 1000)
	f.Data(tracegen.A2B, 403*msec, 2000, 3000)
	f.Ack(tracegen.B2A, 415*msec) // at A at 425: delays of 24 ms for 1000 and 22 for 3000 bytes
	f.Ack(tracegen.B2A, 416*msec)
	m := measure(t, s, tracegen.HostA, Config{})
	values, times := m.series(seriesProtocolDelay, -1, conn.A)
	assert.Check(t, is.DeepEqual(values, []float64{20, (24*1000 + 22*3000) / 4000.}))
	assert.Check(t, is.DeepEqual(times, []time.Duration{420 * msec, 425 * msec}))
}

// TestSkip leaves out the first second after the first data: delays by their
// DATA_ACK, order and rates by their data.
func TestSkip(t *testing.T) {
	s, f := onePath(tracegen.Config{Version: 1})
	acked(f, 400*msec, 0, 1000)
	x := f.Data(tracegen.A2B, 500*msec, 1000, 1000)
	f.Ack(tracegen.B2A, x.ArrivesAt()+70*msec) // a delay of 90 ms that must not count
	acked(f, 1390*msec, 2000, 1000)            // sent before, covered after the second
	acked(f, 1500*msec, 3000, 1000)
	acked(f, 1600*msec, 4000, 1000)
	m := measure(t, s, tracegen.HostA, Config{Interval: 100 * msec, Skip: time.Second})
	c := m.Dir(conn.A)
	dist(t, "path_delay", &m.Subs[0].Dir(conn.A).Delays().Path, 3, 20, 20, 20)
	dist(t, "protocol_delay", &c.Delays().Protocol, 3, 20, 20, 20)
	if c.Order().Chunks != 2 || c.Throughput().Bytes() != 2000 || c.Goodput().Bytes() != 2000 {
		t.Errorf("%d chunks, %d and %d bytes; want 2, 2000, 2000", c.Order().Chunks, c.Throughput().Bytes(), c.Goodput().Bytes())
	}
	// Figures of the subflow itself are not left out.
	dist(t, "rtt", &m.Subs[0].Dir(conn.A).RTT, 6, (5*20+90)/6., 20, 90)

	// The same with only the second from the first data on, 400 ms to 1400 ms:
	// delays of 20 and 90 ms, and three chunks.
	m = measure(t, s, tracegen.HostA, Config{Interval: 100 * msec, Until: time.Second})
	c = m.Dir(conn.A)
	dist(t, "path_delay until", &m.Subs[0].Dir(conn.A).Delays().Path, 2, 55, 20, 90)
	if c.Order().Chunks != 3 || c.Throughput().Bytes() != 3000 || c.Goodput().Bytes() != 3000 {
		t.Errorf("%d chunks, %d and %d bytes; want 3, 3000, 3000", c.Order().Chunks, c.Throughput().Bytes(), c.Goodput().Bytes())
	}
}
