package report

// CaptureGap is a place at which packets of a connection are missing from the capture: their
// data was acknowledged, and they are not in the file. They were not lost in the network.
type CaptureGap struct {
	// The latest packet captured before the missing ones, as the subflows that lack data show it.
	Before GapEnd `json:"before"`
	// The first packet after them that shows that they are missing.
	After GapEnd `json:"after"`
	// From the packet before to the packet after, seconds.
	DurationS float64 `json:"duration_s"`
	// What is known to be missing, by subflow and direction.
	Missing List[GapBytes] `json:"missing"`
}

// GapEnd is a packet beside a gap of the capture.
type GapEnd struct {
	// Number of the packet in the capture.
	Packet int64 `json:"packet"`
	// Its time, seconds since the connection's start.
	TS float64 `json:"t_s"`
}

// GapBytes is the data of one direction of a subflow that is missing in a gap.
type GapBytes struct {
	// Number of the subflow.
	Subflow int `json:"subflow"`
	// Direction of the data.
	Direction Direction `json:"direction"`
	// Bytes of the TCP stream that were acknowledged and not captured.
	Bytes int64 `json:"bytes"`
}
