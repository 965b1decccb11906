package metrics

import "fmt"

var (
	inSubflow    = []Level{OfSubflow}
	inSubflowDir = []Level{OfSubflowDir}
	inConnDir    = []Level{OfConnectionDir}
	inBothDirs   = []Level{OfSubflowDir, OfConnectionDir}
)

var everywhere = Evidence{observed, observed, observed}

// countRows are the counts of data and its copies.
var countRows = []Metric{
	{
		Name: "segments", JSON: "segments", Unit: "segments", Levels: inBothDirs, Better: NeitherIsBetter,
		Definition: "Data segments sent, counted in units of the MSS, so that hosts which merge segments before the capture count alike.",
		Formula:    "sum over captured packets of ceil(payload / (MSS option of the peer - option bytes of the packet))",
		Source:     "RFC 9293 Section 3.7.1; equals data_segs_out of Linux", Evidence: everywhere,
		Caveats: "A captured packet counts 1 where the peer's SYN, and with it the MSS, is not in the capture.",
	},
	{
		Name: "captured_segments", JSON: "captured_segments", Unit: "packets", Levels: inSubflowDir, Better: NeitherIsBetter,
		Definition: "Packets with payload as they stand in the capture.", Source: "this program", Evidence: everywhere,
		Caveats: "Segmentation and receive offload make one packet of many segments.",
	},
	{
		Name: "bytes", JSON: "bytes", Unit: "bytes", Levels: inSubflowDir, Better: HigherIsBetter,
		Definition: "Payload that was captured, copies included; on a subflow of Multipath TCP only what a mapping covers, and data in the SYN that was accepted (TCP Fast Open).",
		Source:     "RFC 8684 Section 3.3.1", Evidence: everywhere,
		Caveats: "Lengths come from the IP headers: a snapshot length costs nothing but where it cuts mappings off.",
	},
	{
		Name: "bytes", JSON: "bytes", Unit: "bytes", Levels: inConnDir, Better: HigherIsBetter,
		Definition: "Application data: data sequence numbers seen, each once, without the DATA_FIN, and data in the SYN that was accepted (TCP Fast Open), which has none.",
		Source:     "RFC 8684 Section 3.3 and Appendix B.2", Evidence: everywhere,
		Caveats: "Absent, with all that follows from it, where the snapshot length cut mappings off.",
	},
	{
		Name: "bytes_unique", JSON: "bytes_unique", Unit: "bytes", Levels: inSubflowDir, Better: HigherIsBetter,
		Definition: "Payload that was captured, each position of the subflow's stream counted once.",
		Formula:    "bytes - retransmitted_bytes", Source: "RFC 9293 Section 3.4", Evidence: everywhere,
	},
	{
		Name: "retransmitted_segments", JSON: "retransmitted_segments", Unit: "segments", Levels: inBothDirs, Better: LowerIsBetter,
		Definition: "Data segments with any byte that had been sent before on the same subflow.",
		Source:     "FI23, MIX; equals total_retrans of Linux at the sender", Evidence: everywhere,
		Caveats: "At the receiver only duplicates show: a copy whose original was lost fills a hole there (hole_fills).",
	},
	{
		Name: "retransmitted_bytes", JSON: "retransmitted_bytes", Unit: "bytes", Levels: inBothDirs, Better: LowerIsBetter,
		Definition: "Payload that had been sent before on the same subflow; of Multipath TCP, like bytes, only what a mapping covers.",
		Source:     "MIX", Evidence: everywhere,
		Caveats: "At the receiver only duplicates show. Where the snapshot length cut mappings off, all payload counts.",
	},
	{
		Name: "hole_fills", JSON: "hole_fills", Unit: "segments", Levels: inSubflowDir, Better: LowerIsBetter,
		Definition: "Segments that close a gap too late for reordering on the way, hence copies of segments whose first copy is not in the capture.",
		Source:     "this program", Evidence: Evidence{inferred, holes, matched},
		Caveats: "At the receiver the first copy was lost on the way, at the sender before the capture point (see drops), or the capture missed it; with two captures the count is the receiver's. Too late is: with timestamps sent after the packet that left the gap, without them half a round trip behind it. A loss at the very end of a subflow leaves no gap, and of what was lost twice the gap shows once.",
	},
	{
		Name: "not_captured", JSON: "not_captured_bytes", Unit: "bytes", Levels: inSubflowDir, Better: LowerIsBetter,
		Definition: "Payload that was acknowledged or SACKed on the subflow, while other payload of the direction was captured and this was not: the capture lost packets.",
		Source:     "this program", Evidence: everywhere,
		Caveats: "It is not loss: the data arrived. Warning capture_lost_packets sums it up. What was never acknowledged either does not count.",
	},
	{
		Name: "reinjected_segments", JSON: "reinjected_segments", Unit: "segments", Levels: inBothDirs, Better: LowerIsBetter,
		Definition: "Data segments whose place in the subflow's stream is new while their data had been sent before, on whatever subflow.",
		Source:     "RFC 8684 Section 3.3.6", Evidence: everywhere,
	},
	{
		Name: "reinjected_bytes", JSON: "reinjected_bytes", Unit: "bytes", Levels: inBothDirs, Better: LowerIsBetter,
		Definition: "Payload at new positions of the subflow's stream whose data had been sent before.",
		Source:     "RFC 8684 Section 3.3.6", Evidence: everywhere,
		Caveats: "At the receiver the copy that arrives second is the one that counts, whichever left first.",
	},
	{
		Name: "reinjected_same_subflow_bytes", JSON: "reinjected_same_subflow_bytes", Unit: "bytes", Levels: inBothDirs, Better: LowerIsBetter,
		Definition: "The part of reinjected_bytes whose data only this very subflow had carried; Linux does that after a path was given up for a while.",
		Source:     "RFC 8684 Section 3.3.6", Evidence: everywhere,
	},
	{
		Name: "out_of_order_segments", JSON: "out_of_order_segments", Unit: "segments", Levels: inSubflowDir, Better: LowerIsBetter,
		Definition: "Segments below the highest subflow position seen that are no retransmissions.",
		Source:     "RFC 4737 Section 3", Evidence: everywhere,
		Caveats: "At the sender it is the host's own doing; the network's reordering shows at the receiver.",
	},
	{
		Name: "paths", JSON: "paths", Unit: Composite, Levels: inConnDir, Better: NeitherIsBetter,
		Definition: "What each path, perhaps of several subflows, carried: bytes, first copies, retransmissions, reinjections.",
		Source:     "MIX, RFC 8684 Section 2", Evidence: everywhere,
		Caveats: "A path is the user's label of an address, else the pair of addresses.",
	},
	{
		Name: "overhead", JSON: "overhead_percent_of_data", Unit: "percent", Levels: inConnDir, Better: LowerIsBetter,
		Definition: "Bytes that were sent again, as a part of the application's data.",
		Formula:    "100 (retransmitted_bytes + reinjected_bytes) / bytes", Source: "this program", Evidence: everywhere,
		Caveats: "More than 100 where more was sent again than there is data, as by a redundant scheduler. At the receiver the copies that replaced lost bytes do not show.",
	},
	{
		Name: "reinjection_worth", JSON: "reinjection_worth", Unit: Composite, Levels: inConnDir, Better: NeitherIsBetter,
		Definition: "Reinjected bytes by whether the copy or the original arrived first: useful or wasted. Copies on the subflow of the original are left out.",
		Formula:    "one capture at the sender: arrival of the original = its acknowledgment on its subflow - SRTT/2 of that subflow, and if it was sent but once no later than its sending + SRTT/2, for an acknowledgment may wait for what is missing below; of the copy = its sending + SRTT/2 of its subflow. What a DATA_ACK covers before the copy can have caused it the original brought",
		Source:     "this program", Evidence: Evidence{inferred, "", matched},
		Caveats: "An estimate takes both directions of a path for equally long and includes the delay of the acknowledgment; two captures see the arrivals. `undecided_bytes` are those whose original was never acknowledged on its subflow, as on a path that died. Absent where a subflow that carried either copy has no round trip.",
	},
}

// ackRows are what acknowledgments, handshakes and ends count.
var ackRows = []Metric{
	{
		Name: "pure_acks", JSON: "pure_acks", Unit: "packets", Levels: inSubflowDir, Better: NeitherIsBetter,
		Definition: "Packets that acknowledge and carry neither payload nor SYN, FIN or RST.",
		Source:     "tcptrace", Evidence: everywhere,
	},
	{
		Name: "dup_acks", JSON: "dup_acks", Unit: "packets", Levels: inSubflowDir, Better: LowerIsBetter,
		Definition: "Pure ACKs with the acknowledgment number and window of the one before while data is in flight.",
		Source:     "RFC 5681 Section 2", Evidence: everywhere,
		Caveats: "An ACK that moves the DATA_ACK, or has an MPTCP option other than DSS, is none. Absent where the snapshot length cut options of this side's packets off.",
	},
	{
		Name: "sack_blocks", JSON: "sack_blocks", Unit: "blocks", Levels: inSubflowDir, Better: LowerIsBetter,
		Definition: "Blocks in SACK options, reports of duplicates left out.", Source: "RFC 2018 Section 3", Evidence: everywhere,
		Caveats: "Absent where the snapshot length cut options of this side's packets off.",
	},
	{
		Name: "dsack_blocks", JSON: "dsack_blocks", Unit: "blocks", Levels: inSubflowDir, Better: LowerIsBetter,
		Definition: "SACK blocks that report data received twice.", Source: "RFC 2883", Evidence: everywhere,
		Caveats: "Beside timestamps and a DATA_ACK of 8 octets an ACK has room for one block; a report above the cumulative ACK is then told from an ordinary block by what was reported before. Absent where the snapshot length cut options of this side's packets off.",
	},
	{
		Name: "in_flight", JSON: "in_flight_bytes", Symbol: "owin", Unit: "bytes", Levels: inSubflowDir, Better: NeitherIsBetter, Series: true,
		Definition: "Bytes sent on the subflow and not acknowledged cumulatively, at each data packet.",
		Formula:    "SND.NXT - SND.UNA", Source: "RFC 9293 Section 3.3.1; tcptrace", Evidence: Evidence{observed, "", observed},
	},
	{
		Name: "resets", JSON: "resets", Unit: "packets", Levels: inSubflowDir, Better: LowerIsBetter,
		Definition: "Packets with RST.", Source: "RFC 9293 Section 3.5.2", Evidence: everywhere,
		Caveats: "Those that the receiver ignores count, too; the event of each says effective: false.",
	},
	{
		Name: "mp_tcprst", JSON: "mp_tcprst", Unit: "packets", Levels: inSubflowDir, Better: LowerIsBetter,
		Definition: "Packets with RST that carry MP_TCPRST, the option that says why a subflow is reset.",
		Source:     "RFC 8684 Section 3.6; MPRstTx of Linux at the sender", Evidence: everywhere,
	},
	{
		Name: "mp_tcprst_reasons", JSON: "mp_tcprst_reasons", Also: []string{"reason_code", "transient"}, Unit: Composite, Levels: inSubflowDir, Better: NeitherIsBetter,
		Definition: "What MP_TCPRST options say: reason code, its name, flag T (transient: the same path may work later), and how many packets say so.",
		Source:     "RFC 8684 Section 3.6", Evidence: everywhere,
	},
	{
		Name: "fins", JSON: "fins", Unit: "packets", Levels: inSubflowDir, Better: NeitherIsBetter,
		Definition: "Packets with FIN, copies included.", Source: "RFC 9293 Section 3.6", Evidence: everywhere,
	},
	{
		Name: "mss", JSON: "mss", Unit: "bytes", Levels: inSubflowDir, Better: NeitherIsBetter,
		Definition: "Largest segment that this side says it accepts.", Source: "RFC 9293 Section 3.7.1", Evidence: everywhere,
		Caveats: "A middlebox may have lowered it.",
	},
	{
		Name: "window_scale", JSON: "window_scale", Unit: "bits", Levels: inSubflowDir, Better: NeitherIsBetter,
		Definition: "By how many bits this side's window fields are to be shifted.", Source: "RFC 7323 Section 2", Evidence: everywhere,
		Caveats: "In force only where both sides offer it.",
	},
	{
		Name: "sack_permitted", JSON: "sack_permitted", Unit: "truth value", Levels: inSubflowDir, Better: NeitherIsBetter,
		Definition: "Whether this side's SYN permits selective acknowledgments.", Source: "RFC 2018 Section 2", Evidence: everywhere,
	},
	{
		Name: "timestamps", JSON: "timestamps", Unit: "truth value", Levels: inSubflowDir, Better: NeitherIsBetter,
		Definition: "Whether this side's SYN carries TCP timestamps.", Source: "RFC 7323 Section 3", Evidence: everywhere,
	},
	{
		Name: "zero_window_events", JSON: "zero_window_events", Unit: "events", Levels: inSubflowDir, Better: LowerIsBetter,
		Definition: "Times that the window which this side advertises fell to 0; each is an event of kind zero_window too.",
		Source:     "RFC 9293 Section 3.8.6.1", Evidence: everywhere,
	},
	{
		Name: "keep_alives", JSON: "keep_alives", Unit: "packets", Levels: inSubflowDir, Better: NeitherIsBetter,
		Definition: "Keep-alives and window probes: packets that point at the last byte acknowledged while nothing is outstanding.",
		Source:     "RFC 9293 Sections 3.8.4 and 3.8.6.1", Evidence: everywhere,
		Caveats: "The byte of garbage that some carry is no payload. With it, one counts only behind a second of silence; else it is a retransmission.",
	},
	{
		Name: "stray_packets", JSON: "stray_packets", Unit: "packets", Levels: inSubflowDir, Better: LowerIsBetter,
		Definition: "Packets whose sequence number lies more than 2^30 from the end of the stream, farther than any window is wide; nothing else counts them.",
		Source:     "RFC 7323 Section 2.3", Evidence: everywhere,
		Caveats: "They come from a middlebox, an earlier connection of the same ports, or somebody who forges them.",
	},
	{
		Name: "network_duplicate_segments", JSON: "network_duplicate_segments", Unit: "segments", Levels: inSubflowDir, Better: LowerIsBetter,
		Definition: "Segments that a DSACK reports though they were never sent again: the network doubled them.",
		Source:     "RFC 2883 Section 4", Evidence: Evidence{inferred, "", inferred},
		Caveats: "Exact with two captures (network.duplicated_segments): a lost ACK takes its report along.",
	},
	{
		Name: "idle_max", JSON: "idle_max_ms", Unit: "ms", Levels: inSubflowDir, Better: LowerIsBetter,
		Definition: "Longest pause between two packets of this direction, whatever they carry, strays left out.", Source: "tcptrace", Evidence: everywhere,
	},
	{
		Name: "handshake_rtt", JSON: "handshake_rtt_ms", Unit: "ms", Levels: inSubflow, Better: LowerIsBetter,
		Definition: "Time from the SYN to the third packet of the handshake where the capture was taken.",
		Formula:    "(first SYN/ACK behind the last SYN - last SYN) + (first packet of the initiator behind a SYN/ACK - last SYN/ACK before it)", Source: "RFC 9293 Section 3.5", Evidence: everywhere,
		Caveats: "Of packets that were repeated those count that follow each other, as far as the capture tells.",
	},
	{
		Name: "join_delay", JSON: "join_delay_ms", Unit: "ms", Levels: inSubflow, Better: LowerIsBetter,
		Definition: "Time from the SYN with MP_CAPABLE to the SYN with MP_JOIN of this subflow.",
		Source:     "RFC 8684 Section 3.2", Evidence: everywhere,
	},
}

// pathRows are what became of paths.
var pathRows = []Metric{
	{
		Name: "handovers", JSON: "handovers", Also: []string{"handover"}, Unit: Composite, Levels: inConnDir, Better: LowerIsBetter,
		Definition: fmt.Sprintf("Gaps between the last progress on a path that died and the first on another, and how long in-order delivery waited for it. A path died where it was reset after it had carried data, or had data outstanding and made no progress for %g s, or %d SRTT if that is longer, while another made some and still did after a quarter of that time.", deadAfter/1e9, deadRounds),
		Source:     "this program", Evidence: everywhere,
		Caveats: "`blocked_ms` ends where the path makes progress again, with the wait that is open then. At the sender a wait runs from the ACK of later data to that of the first missing data, and is that of the subflow that was captured to carry this first: of data that a dead path held and never sent it knows nothing, so that it is less than what the receiver's capture shows. There a wait runs from the arrival of later data, and is that of the subflow that announced the missing data or lacks it; a reinjected copy that fills the hole does not count for the subflow that brings it. At the receiver a death shows only by a hole that another path fills, or by data on a backup.",
	},
}
