package account

// Data is payload on a subflow, where the capture was taken.
type Data struct {
	New         bool  // some of it is data that was not seen before
	Copy        bool  // all of it was sent before on this subflow
	Bytes       int64 // its length
	Segment     int64 // size of a full segment, bytes
	Nxt         int64 // end of what was seen on the subflow
	Flight      int64 // bytes outstanding on the subflow, with it
	Outstanding int64 // data outstanding on all subflows, with it
	Full        bool  // the receive window has no room for a segment

	// What only captures away from the sender need.
	Copies   int64 // segments so far that show a loss: sent again, or late in a hole
	Hole     bool  // something below Nxt is missing
	DataEnd  int64 // end of its data
	RcvNxt   int64 // end of the data without a gap, with it
	SndNxt   int64 // end of the data seen, with it
	SRTT     int64 // smoothed round-trip time, ns; 0 before the first sample
	LeastRTT int64 // ns
	RTO      int64 // retransmission timeout, ns
	Delay    int64 // its delay from the sender, plus a constant, ns
	Timed    bool  // Delay is exact to a millisecond
}

// Ack is a packet of the receiver on a subflow that acknowledges something.
type Ack struct {
	Una, Nxt    int64 // all below Una is acknowledged; end of what was seen
	Bytes       int64 // acknowledged for the first time, SACKs included
	Flight      int64 // bytes outstanding on the subflow, after it
	SACKs       bool  // SACKs cover data above something that is missing
	Hole        bool  // something above Una and below Nxt is missing; away from the sender
	SRTT        int64 // smoothed round-trip time, ns; 0 before the first sample
	RTT         int64 // that of the newest segment that it acknowledges, ns; 0 = none
	LeastRTT    int64 // ns
	RTO         int64 // retransmission timeout, ns
	DataAck     bool  // its DATA_ACK advances
	Outstanding int64 // data outstanding on all subflows, after it
	Head        int   // the subflow of the first data outstanding, negative = none; valid with DataAck
}
