package account

import (
	"testing"

	"gotest.tools/v3/assert"
)

// TestRoomWhileWaiting: at 10 ms a segment leaves on each path, first on the slow one. The quick path brings
// its segment in 10 ms, and rests up to 210 ms: the next data in order is on the slow path until then. So it
// had room for 200 of its 210 ms. A last segment on it takes 10 ms, in which the slow one has room.
func TestRoomWhileWaiting(t *testing.T) {
	var quick, slow path
	a := &Account{}
	a.Open(0, &quick.Subflow, ms, &quick.ended)
	a.Open(1, &slow.Subflow, ms, &slow.ended)
	send := func(id int, at, nxt, out int64) {
		a.Data(id, at*ms, &Data{New: true, Bytes: segment, Segment: segment, Nxt: nxt * segment, Flight: segment, Outstanding: out * segment})
	}
	ack := func(id int, at, una, out int64, head int, rtt int64) {
		a.Ack(id, at*ms, &Ack{
			Una: una * segment, Nxt: una * segment, Bytes: segment, SRTT: rtt * ms, LeastRTT: rtt * ms, RTO: 1000 * ms,
			DataAck: head != 1, Outstanding: out * segment, Head: head,
		})
	}
	send(1, 10, 1, 1)
	send(0, 10, 1, 2)
	ack(0, 20, 1, 2, 1, 10)
	ack(1, 210, 1, 0, -1, 200)
	send(0, 210, 2, 1)
	ack(0, 220, 2, 0, -1, 10)
	a.Close()
	assert.Check(t, quick.Times.Sum() == 210*ms && quick.Room == 200*ms, "quick: %d of %d", quick.Room, quick.Times.Sum())
	assert.Check(t, slow.Times.Sum() == 210*ms && slow.Room == 10*ms, "slow: %d of %d", slow.Room, slow.Times.Sum())
}
