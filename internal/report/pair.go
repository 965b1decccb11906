package report

// Clock says how the clock of the receiver's capture differs from the sender's, as far
// as the delays of both directions show it.
type Clock struct {
	// Receiver's clock ahead of the sender's at the first packet, ms; it was taken out of every delay between the captures. By default 0 unless a delay would be negative with that.
	Offset *float64 `json:"offset_ms"`
	// Gain of the receiver's clock on the sender's, parts per million.
	Drift float64 `json:"drift_ppm"`
	// Error of that which the delays leave room for, at 95 %, parts per million.
	DriftUncertainty *float64 `json:"drift_uncertainty_ppm"`
	// Error of the offset if the shortest path takes the same time in both directions, ms.
	Uncertainty *float64 `json:"uncertainty_ms"`
	// Error that a path could cause whose shortest times differ in the two directions, ms: half of the least round trip, plus how far the offset is from the one of equal times.
	Bound *float64 `json:"bound_ms"`
	// What the offset and the drift rest on, for people.
	Method string `json:"method"`
	// By how much the lead changed when a clock was set while the captures ran, ms, 2 at least; null where no such step shows.
	Step *float64 `json:"step_ms" null:"none"`
	// When that was, seconds since the first packet; null likewise.
	StepS *float64 `json:"step_s" null:"none"`
	// Why a figure of the clocks is null, by its name.
	Unavailable Reasons `json:"unavailable"`
}

// Network is what happened to the packets of one direction of a subflow
// between the two captures. Segments are MSS units.
type Network struct {
	// Captured packets with payload at the host that sends them.
	SentPackets int64 `json:"sent_packets"`
	// Captured packets with payload at the host that receives them.
	ArrivedPackets int64 `json:"arrived_packets"`
	// Packets sent of which at least a part arrived.
	MatchedPackets int64 `json:"matched_packets"`
	// Bytes dropped on the way.
	LostBytes int64 `json:"lost_bytes"`
	// Segments sent while the capture at the receiving host was not running.
	NotCovered int64 `json:"not_covered_segments"`
	// Segments that the capture at the receiving host missed: they were acknowledged and never sent again.
	NotCaptured int64 `json:"not_captured_segments"`
	// Segments that arrived and that the capture at the sending host missed.
	NotCapturedAtSender int64 `json:"not_captured_at_sender_segments"`
	// Segments that the network duplicated.
	Duplicated int64 `json:"duplicated_segments"`
	// Packets that others, sent later, overtook on the way (RFC 4737, Section 3).
	ReorderedPackets int64 `json:"reordered_packets"`
	// The same as a part of the packets matched, percent.
	ReorderedPercent *float64 `json:"reordered_percent"`
	// Lateness of these (RFC 4737, Section 4.3), ms.
	ReorderExtent *Stat `json:"reorder_extent_ms"`
	// Packets whose TCP options have another length on arrival, or whose MPTCP options or timestamps are gone or new: a middlebox removed or added some.
	AlteredOptions int64 `json:"altered_options_packets"`
	// Arrivals that are a further part of a packet captured as one where it left: segmentation.
	Split int64 `json:"split_packets"`
	// Arrivals that hold several packets sent: a receiver or middlebox merged them.
	Merged int64 `json:"merged_packets"`
	// Whether the sequence numbers were rewritten on the way.
	SequenceRewritten bool `json:"sequence_rewritten"`
	// Whether the address or port of the sending end was translated on the way.
	AddressTranslated bool `json:"address_translated"`
	// Whether the MSS option of the sending end was changed on the way.
	MSSChanged bool `json:"mss_changed"`
}
