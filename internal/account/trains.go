package account

// trains measures what a path was seen to carry: the most in one round, and the rate at which the
// acknowledgments of rounds of slow start come. There data is sent faster than the path carries it, so that
// they come at the rate of its slowest link (packet trains, Dovrolis et al., 2001).
type trains struct {
	most float64 // delivered in one round, bytes per ns

	first, last int64 // acknowledgments of the open round; 0 = none
	bytes       int64 // acknowledged after the first of them
	sum, time   int64 // bytes and ns of the trains
}

// leastTrain is the least length of a train, segments: the time between few is that of the clock.
const leastTrain = 8

func (x *trains) acked(now, bytes int64) {
	if x.first == 0 {
		x.first, x.last = now, now
		return
	}
	x.last, x.bytes = now, x.bytes+bytes
}

// end ends a round that delivered bytes in a time, ns, which is no round trip if it is less than the least one.
func (x *trains) end(delivered, time int64, a *Ack, segment int64, slowStart bool) {
	x.most = max(x.most, float64(delivered)/float64(max(time, a.LeastRTT, 1)))
	if slowStart && x.bytes >= leastTrain*segment {
		x.sum, x.time = x.sum+x.bytes, x.time+x.last-x.first
	}
	x.first, x.bytes = 0, 0
}

// Carries returns the rate that the path of the subflow was seen to carry, Mbit/s; 0 before the first round, and in
// captures away from the sender.
func (s *Subflow) Carries() float64 {
	x := &s.sender.rounds.trains
	rate := x.most
	if x.time > 0 {
		rate = max(rate, float64(x.sum)/float64(x.time))
	}
	return 8e3 * rate
}
