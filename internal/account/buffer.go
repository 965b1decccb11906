package account

// buffer finds pauses that only a full send buffer explains, however few there are: for long nothing new leaves on any subflow, the
// data outstanding stands at the most so far, and what ends that is the DATA_ACK that takes it away from there. Only that frees the
// buffer. What else could end it so: the application, which does not know of a DATA_ACK, by chance, which is one in a hundred; an
// answer to the peer, whose data that packet carries then, or one before; the congestion window, which any ACK of its subflow opens;
// and the receive window, whose state comes first.
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
