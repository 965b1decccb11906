package subflow

// Memory returns about how many bytes of memory one side of a subflow holds for what is
// in flight, acknowledged selectively or missing.
func (h *Sender) Memory() int {
	const flightBytes, holeBytes, rangeBytes = 64, 64, 16
	return flightBytes*h.inflight.list.Len() + holeBytes*h.holes.list.Len() + rangeBytes*h.sacked.Len()
}
