package account

// buffer finds pauses that only a full send buffer explains, however few there are. For long nothing new leaves on any subflow, and
// the data outstanding stands at the most so far. Then a DATA_ACK takes it below that, and new data leaves at once: only a DATA_ACK
// frees the send buffer. Four other causes could end a pause so. The application does so by chance, which is one in a hundred. An
// answer to the peer comes behind data of the peer. The congestion window opens with any ACK of its subflow. The receive window has
// a state of its own, which comes first.
type buffer struct {
	written, advanced int64 // the latest new data, and the latest advance of the DATA_ACK
	height, most      int64 // outstanding until that advance, and the most so far, bytes
}

const heldLeast = 100 // least length of such a pause / the time within which data answers an ACK

// acknowledged takes an advance of the DATA_ACK; n bytes were outstanding until then.
func (x *buffer) acknowledged(now, n int64) { x.advanced, x.height, x.most = now, n, max(x.most, n) }

// held takes new data, without which n bytes are outstanding, and reports whether the send buffer was full until then.
func (x *buffer) held(now, n, atOnce int64) (full bool) {
	full = now-x.advanced <= atOnce && now-x.written >= heldLeast*atOnce && 8*x.height >= 7*x.most && 8*n < 7*x.most
	x.written = now
	return full
}
