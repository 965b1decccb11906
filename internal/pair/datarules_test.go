package pair

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
)

// newDataDir returns a direction of data from the sender to the receiver, whose positions are 100 lower there, over one subflow.
func newDataDir() (*matchedDataDir, *matchedSubflowDir) {
	l := newTestLink()
	w := l.ends[AtReceiver].endConn
	w.dirs = []endSubflowDir{{matched: &l.dirs[conn.A]}, {}}
	d := &matchedDataDir{
		pair: l.pair, from: AtSender, sender: l.ends[AtSender].endConn, receiver: w,
		senderSide: conn.A, receiverSide: conn.A, aligned: true, shift: 100,
	}
	d.sender.conn = &conn.Conn{}
	d.Delivery = l.pair.clocks.NewDelays(AtSender, 0, true)
	return d, &l.dirs[conn.A]
}

// TestCouldBring: a transmission may have brought data that arrived no sooner than the least delay after it, 10 ms. Without a delay
// that is not known; on a subflow that only the receiver's capture has, it cannot. What is not known counts in the end, and what
// cannot be has no delay.
func TestCouldBring(t *testing.T) {
	for name, c := range map[string]struct {
		change func(d *matchedDataDir, on *matchedSubflowDir)
		want   possibility
		bytes  int64 // with a delay at the end, of 5
	}{
		"a packet's delay":      {func(_ *matchedDataDir, on *matchedSubflowDir) { on.hasDelay, on.leastDelay = true, 10e6 }, possible, 5},
		"too quick":             {func(_ *matchedDataDir, on *matchedSubflowDir) { on.hasDelay, on.leastDelay = true, 10e6+1 }, impossible, 0},
		"no packet has a delay": {func(*matchedDataDir, *matchedSubflowDir) {}, unknown, 5},
		"not in both captures":  {func(d *matchedDataDir, on *matchedSubflowDir) { on.hasDelay, d.receiver.dirs[0].matched = true, nil }, impossible, 0},
	} {
		d, on := newDataDir()
		c.change(d, on)
		first := firstArrival{time: 1e9 + 10e6}
		assert.Check(t, is.Equal(d.couldBring(1e9, first), c.want), "%s", name)
		d.addDelay(undecidedDelay{first: first, sent: 1e9, inOrder: 1e9 + 30e6, n: 5})
		assert.Check(t, is.Equal(len(d.undecided) > 0, c.want != possible), "%s: undecided", name)
		d.decideDelays()
		delays := &d.Delivery.Raw
		assert.Check(t, delays.N() == min(c.bytes, 1) && (c.bytes == 0 || delays.Max() == 30), "%s: %d delays of %v ms", name, delays.N(), delays.Max())
		assert.Check(t, d.OneSided == 5-c.bytes && d.Unmatched == 5-c.bytes && len(d.undecided) == 0, "%s: %d and %d bytes without", name, d.OneSided, d.Unmatched)
	}
}

// TestMayStillShow: the sending capture may still show data until it is 2 s past its delivery, by its own clock, and not after its
// end. The receiver's clock is 100 s ahead.
func TestMayStillShow(t *testing.T) {
	for _, c := range []struct {
		from      End
		delivered int64
		last      int64
		ended     bool
		want      bool
	}{
		{AtSender, 110e9, 12e9 - 1, false, true},
		{AtSender, 110e9, 12e9, false, false},
		{AtSender, 110e9, 11e9, true, false},
		{AtReceiver, 10e9, 112e9 - 1, false, true},
		{AtReceiver, 10e9, 112e9, false, false},
	} {
		d, _ := newDataDir()
		d.from, d.pair.opt.RoughLead = c.from, 100e9
		d.sender.capture = &captureState{last: c.last, ended: c.ended}
		assert.Check(t, is.Equal(d.mayStillShow(c.delivered), c.want), "%+v", c)
	}
}

// TestDataOneSided: at the end, the bytes that one capture alone shows: acknowledged by a DATA_ACK and not delivered, delivered and not sent,
// and those of parts that were dropped.
func TestDataOneSided(t *testing.T) {
	d, _ := newDataDir()
	d.sent.insert(dataPart{dsnRange: dsnRange{Start: 500, End: 507}, open: 7})
	d.sent.droppedOpen, d.delivered.droppedOpen = 100, 1000
	d.delivered.insert(dataPart{dsnRange: dsnRange{Start: 50, End: 90}, open: 40})
	d.finish()
	assert.Check(t, d.OneSided == 1140, "%d bytes, want 100 + 1000 + 40: what is not acknowledged may never have arrived", d.OneSided)
}

// TestChunks: a chunk is handed out with its arrival, whichever capture shows it first: that of its last byte.
func TestChunks(t *testing.T) {
	var got []Chunk
	p := New(Options{Chunk: func(c *Chunk) { got = append(got, *c) }})
	chunk := func(start, end seq.DSN) *Chunk {
		return &Chunk{Chunk: dss.Chunk{Data: dsnRange{Start: start, End: end}}}
	}
	data := func(start, end seq.DSN, at int64) arrivedData {
		return arrivedData{dsnRange{Start: start, End: end}, at, at + 1}
	}
	var j chunkJoin
	j.take(p, chunk(110, 120))        // waits
	j.arrive(p, data(0, 15, 5), 100)  // of positions that are 100 lower there
	j.arrive(p, data(15, 20, 6), 100) // its last byte
	j.take(p, chunk(100, 110))        // came before; more chunks end in its arrival
	j.take(p, chunk(110, 115))        // the last one of that arrival
	assert.Check(t, len(j.arrivals) == 1, "%d arrivals wait, want 1", len(j.arrivals))
	j.take(p, chunk(120, 130))
	j.take(p, chunk(130, 140))
	j.release(p, 1)
	want := []Chunk{*chunk(110, 120), *chunk(100, 110), *chunk(110, 115), *chunk(120, 130)}
	want[0].Arrived, want[0].Delivered = 6, 7
	for i := 1; i < 3; i++ {
		want[i].Arrived, want[i].Delivered = 5, 6
	}
	diff := cmp.Diff(want, got, cmp.AllowUnexported(dss.Chunk{}))
	assert.Check(t, diff == "" && len(j.waiting) == 1 && j.waiting[0].Data.Start == 130, "%d wait (-want +got)\n%s", len(j.waiting), diff)
	for range maxChunks {
		j.take(p, chunk(200, 210))
		j.arrive(p, data(300, 310, 1), 0)
	}
	assert.Check(t, len(j.waiting) == maxChunks/2+1 && len(j.arrivals) == maxChunks/2+1 && len(got) == 4+maxChunks/2,
		"%d chunks and %d arrivals wait, %d were handed out", len(j.waiting), len(j.arrivals), len(got))
}

// TestChunksOfSession: every chunk of an upload of 20 packets, with when it left, arrived and was in order: packet 7 is 5 ms late, so
// that the four behind it wait. A connection that the receiver's capture does not have is handed out alone.
func TestChunksOfSession(t *testing.T) {
	s, _, sent := upload(20)
	sent[7].Late(5 * msec)
	sent[9].Again(300 * msec)
	v := capture2(s)
	var first, waited [20]int64 // bytes and ms of each packet
	again, alone := int64(0), int64(0)
	o := Options{
		Chunk: func(c *Chunk) {
			if c.Kind != dss.First {
				again += int64(c.Data.Len())
				return
			}
			n := (c.Data.End - 2) / size // positions begin at 1
			first[n] += int64(c.Data.Len())
			waited[n] = (c.Delivered - c.Arrived) / 1e6
			assert.Check(t, c.From == conn.A && c.Sub != nil, "chunk of packet %d by %v of %v", n, c.From, c.Sub)
		},
		Alone: func(_ *conn.Subflow, from conn.Side, c *dss.Chunk) {
			alone += int64(c.Data.Len())
			assert.Check(t, from == conn.A, "%v sent", from)
		},
	}
	match(t, v, o)
	assert.Check(t, waited == [20]int64{8: 4, 9: 3, 10: 2, 11: 1} && again == size && alone == 0, "waited %v ms, %d bytes again, %d alone", waited, again, alone)
	for n, bytes := range first {
		assert.Check(t, bytes == size, "%d bytes of packet %d", bytes, n)
	}
	first = [20]int64{}
	match(t, views{v[AtSender], nil}, o)
	assert.Check(t, alone == 20*size && first == [20]int64{}, "%d bytes alone, chunks of %v bytes; want %d and none", alone, first, 20*size)
}
