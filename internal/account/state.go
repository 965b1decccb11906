package account

// State is what the time of a subflow or of a connection goes to.
type State uint8

// The states, those of several subflows included.
const (
	// Undetermined is time whose state a capture at this place does not show.
	Undetermined State = iota
	// Down: data is outstanding, and nothing of the path answers for a retransmission timeout
	// (RFC 6298); up to the next answer.
	Down
	// Recovery: from the first copy sent, or the first SACK above a hole, until all that was
	// sent before is acknowledged.
	Recovery
	// Rwnd: the receive window of the connection has no room for a segment, and the sender
	// uses the room that comes next.
	Rwnd
	// Window: what the sender has outstanding does not grow although the paths and the receive
	// window have room: a send buffer, or a limit on the congestion window.
	Window
	// SlowStart: the flight grows by a quarter or more in each round (RFC 5681, Section 3.1).
	SlowStart
	// Path: the delivery rate stands on its plateau, and the round trip above its least.
	Path
	// CongestionWindow: in flight, and none of the other states.
	CongestionWindow
	// Scheduler: the subflow has room, and new data leaves on other subflows.
	Scheduler
	// Application: there is room, and nothing new is sent.
	Application
	// Idle: nothing is outstanding.
	Idle

	States = iota
)

// Times are the times of each state, ns.
type Times [States]int64

// Sum returns the time of all states, ns.
func (t *Times) Sum() (n int64) {
	for _, v := range t {
		n += v
	}
	return n
}
