package metrics

import "mpanalyze/internal/catalogue"

// factUnit has the metrics of a handshake and of events. The report takes these
// directly from the tracker.
var factUnit = &unit{rows: factRows, report: nop{}}

var factRows = []catalogue.Metric{
	{
		Name: "handshake_rtt", JSON: "handshake_rtt_ms", Unit: "ms", Levels: catalogue.InSubflow, Better: catalogue.LowerIsBetter,
		Definition: "Time from the SYN to the third packet of the handshake where the capture was taken.",
		Formula:    "(first SYN/ACK behind the last SYN - last SYN) + (first packet of the initiator behind a SYN/ACK - last SYN/ACK before it)", Source: "RFC 9293 Section 3.5", Evidence: catalogue.Everywhere,
		Caveats: "If packets were repeated, those count that answer each other, as far as the capture shows.",
	},
	{
		Name: "join_delay", JSON: "join_delay_ms", Unit: "ms", Levels: catalogue.InSubflow, Better: catalogue.LowerIsBetter,
		Definition: "Time from the SYN with MP_CAPABLE to the SYN with MP_JOIN of this subflow.",
		Source:     "RFC 8684 Section 3.2", Evidence: catalogue.Everywhere,
	},
	{
		Name: "fallback_code", JSON: "fallback_code", Also: []string{
			"syn_without_mp_capable", "synack_without_mp_capable", "third_ack_without_mp_capable", "first_data_without_dss",
			"dss_missing", "infinite_mapping", "checksum_failed",
			"MPCapableSYNTXDrop", "MPCapableFallbackSYNACK", "MPCapableFallbackACK", "MPCapableDataFallback",
			"DssFallback", "InfiniteMapTx", "InfiniteMapRx", "DataCsumErr",
		},
		Unit: "name", Levels: []catalogue.Level{catalogue.OfConnection}, Better: catalogue.NeitherIsBetter,
		Definition: "Why data is sent without Multipath TCP, as far as the capture shows.",
		Formula: "code = counter of Linux (MPTcpExt):" +
			"\n- syn_without_mp_capable = MPCapableSYNTXDrop at the client" +
			"\n- synack_without_mp_capable = MPCapableFallbackSYNACK at the client" +
			"\n- third_ack_without_mp_capable = MPCapableFallbackACK at the server" +
			"\n- first_data_without_dss = MPCapableDataFallback at the receiver of the data" +
			"\n- dss_missing = DssFallback at the receiver of the data" +
			"\n- infinite_mapping = InfiniteMapTx at the host that announces it, InfiniteMapRx at its peer" +
			"\n- checksum_failed = DataCsumErr and MPFailTx at the receiver of the data, MPFailRx and InfiniteMapTx at its sender",
		Source: "RFC 8684 Sections 3.1 and 3.7; Linux net/mptcp/mib.c", Evidence: catalogue.Everywhere,
		Caveats: "third_ack_without_mp_capable is also a third ACK whose MP_CAPABLE has another version, or flags that the peer ignores. synack_without_mp_capable is also a SYN/ACK whose MP_CAPABLE has no defined version or form. " +
			"A middlebox may have removed an option: then only the host behind it counts a fallback.",
	},
	{
		Name: "requested_version", JSON: "requested_version", Also: []string{"answered_version", "third_ack_version", "requested_flags", "answered_flags", "third_ack_flags"},
		Unit: "version", Levels: []catalogue.Level{catalogue.OfConnection}, Better: catalogue.NeitherIsBetter,
		Definition: "Version and flags A to H of the MP_CAPABLE options in the SYN, in the SYN/ACK, and in the first packet of A after them that has the option.",
		Source:     "RFC 8684 Section 3.1", Evidence: catalogue.Everywhere,
		Caveats: "A host ignores an option of a version that it does not have, an option with flag B, and an option without flag H, the only algorithm that is defined. It then answers as plain TCP does.",
	},
	{
		Name: "effective", JSON: "effective", Unit: "true or false", Levels: []catalogue.Level{catalogue.OfEvent}, Better: catalogue.NeitherIsBetter,
		Definition: "Whether the receiver acts on the packet of an event. It ignores a RST whose sequence number is not RCV.NXT, " +
			"a packet with MP_FASTCLOSE outside its window or with a wrong key, an ADD_ADDR with a wrong HMAC, and a MP_PRIO of version 1 with an address id.",
		Source: "RFC 9293 Section 3.10.7; RFC 5961 Sections 3.2 and 5.2; RFC 8684 Sections 3.4.1, 3.5 and 3.3.8", Evidence: catalogue.Everywhere,
		Caveats: "null where the capture cannot tell, as for a RST with data in flight, or where the subflow had ended before.",
	},
}
