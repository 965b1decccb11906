package subflow

// Memory estimates the bytes of memory that the lists of outstanding, SACKed and
// missing data take.
func (snd *Sender) Memory() int {
	const flightBytes, holeBytes, rangeBytes = 64, 64, 16
	return flightBytes*snd.rtxQueue.list.Len() + holeBytes*snd.holes.list.Len() + rangeBytes*snd.sacked.Len()
}
