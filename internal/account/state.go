package account

// State is what the time of a subflow or of a connection goes to.
type State uint8

// The states. The command explain says what each means, and by which rules it is found.
const (
	Undetermined     State = iota // a capture at this place does not show it
	Down                          // the path is silent for a retransmission timeout
	Recovery                      // a loss is being repaired
	Rwnd                          // the receive window is full
	Window                        // a send buffer, or a limit on the congestion window
	SlowStart                     // RFC 5681, Section 3.1
	Path                          // the path carries what it can
	CongestionWindow              // every ACK that makes room is answered
	Scheduler                     // another subflow is busy
	Application                   // nothing new is sent
	Idle                          // nothing is outstanding

	States = iota
)

// hasRoom reports whether a subflow could have carried more in a state: neither its path nor the receive
// window limited it, and data of the connection was outstanding.
func (s State) hasRoom() bool {
	return s == Scheduler || s == Application || s == Window || s == Undetermined
}

// Times are the times of each state, ns.
type Times [States]int64

// Sum returns the time of all states, ns.
func (t *Times) Sum() (n int64) {
	for _, v := range t {
		n += v
	}
	return n
}
