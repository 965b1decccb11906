package account

import "testing"

// TestInferred: a receiver acknowledges each second one of 8 segments, which arrive 1 ms apart, 40 ms after what they answer,
// the least round trip. In 100 rounds the sender answers each ACK at once with two segments (congestion_window); or
// all of them behind the last ACK, as the owner of a full send buffer does (window); or 20 ms later than that, 20 ms
// after nothing was outstanding any more (idle, 20 of 67 ms); the 40 ms before are the application's.
func TestInferred(t *testing.T) {
	for _, c := range []struct {
		name        string
		each, later float64 // ms: from an ACK to the answer of each; of all from the last one
		least       int64
		want        map[State]float64 // percent at least
	}{
		{"each ACK", 40, 0, 40 * ms, map[State]float64{CongestionWindow: 90}},
		{"each ACK, and the round trip is not known", 40, 0, 0, nil},
		{"the last ACK", 0, 40, 40 * ms, map[State]float64{Window: 90}},
		{"nothing", 0, 60, 40 * ms, map[State]float64{Idle: 29, Application: 59}},
	} {
		x, s := Inferred{Account: Account{AtReceiver: true}}, Subflow{}
		at, nxt := [4]float64{100, 102, 104, 106}, int64(0)
		x.Open(0, &s, ns(1), new(int64))
		for range 100 {
			for i := range at {
				for k := range 2 {
					nxt += segment
					x.Data(0, ns(at[i]+float64(k)), &Data{
						New: true, Bytes: segment, Segment: segment, Nxt: nxt, DataEnd: nxt, SndNxt: nxt, Flight: segment * int64(k+1), Outstanding: segment * int64(k+1),
						SRTT: 40 * ms, LeastRTT: 40 * ms, RTO: 200 * ms,
					})
				}
				x.Reply(0, ns(at[i]+1), c.least, Reply{Una: nxt, Bytes: 2 * segment, DataAck: nxt, Edge: 1 << 40, Acks: true, Advances: true})
			}
			for i, last := 0, at[3]+1; i < len(at); i++ {
				if at[i] += 1 + c.each; c.each == 0 {
					at[i] = last + c.later + 2*float64(i)
				}
			}
		}
		x.Close()
		if x.Known() != (c.least > 0) || c.least == 0 && s.inferred.ends.size() > 2 {
			t.Errorf("%s: known %v", c.name, x.Known())
		}
		for state, least := range c.want {
			if got := 100 * float64(x.Times[state]) / float64(x.Times.Sum()); got < least {
				t.Errorf("%s: state %d %.1f %% of %v, want %v at least", c.name, state, got, x.Times, least)
			}
		}
	}
}
