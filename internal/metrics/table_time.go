package metrics

// roundTripRows are round-trip times and what is smoothed from them.
var roundTripRows = []Metric{
	{
		Name: "rtt", JSON: "rtt_ms", Unit: "ms", Levels: inSubflowDir, Better: LowerIsBetter, Series: true,
		Definition: "Round-trip time as the Linux sender samples it, at most once per ACK; away from the sender the two halves of the way, left and right of the capture, added up.",
		Formula: "now - sending of the oldest segment newly acknowledged that no SACK covered before; if any of those newly acknowledged was sent twice, the lowest segment newly SACKed that was sent once; else, if the ACK advances, now - first sending of the timestamp that it echoes. SYN and FIN take part, and the handshake is the first sample. " +
			"Away from the sender: far half + near half; the far half is the time from the first packet with a TSval to the first data packet that echoes it, of a TSecr above all before it, the near half the latest sample of the other rule at the place of the capture",
		Source: "RFC 6298 Section 3, RFC 7323 Section 4; tcp_ack_update_rtt of Linux", Evidence: Evidence{observed, echo, observed},
		Caveats: "Away from the sender it needs TCP timestamps, and a far half is not taken from data that follows a pause of more than half of it: its error is 1 to 3 % in bulk transfers and larger where the application pauses.",
	},
	{
		Name: "rtt_newest", JSON: "rtt_newest_ms", Unit: "ms", Levels: inSubflowDir, Better: LowerIsBetter, Series: true,
		Definition: "Round-trip time of the newest segment that an ACK covers, which no delayed acknowledgment inflates.",
		Formula:    "now - sending of the newest segment acknowledged that was sent once", Source: "this program; tcp.analysis.ack_rtt of Wireshark", Evidence: Evidence{observed, "", observed},
	},
	{
		Name: "srtt", JSON: "srtt_ms", Symbol: "τ_i", Unit: "ms", Levels: inSubflowDir, Better: LowerIsBetter, Series: true,
		Definition: "Smoothed round-trip time of a path.",
		Formula:    "srtt = 7/8 srtt + 1/8 rtt for every sample; the first sample sets it", Source: "FI23 Table 3, FED23 Table 1; RFC 6298 Section 2", Evidence: Evidence{observed, echo, observed},
		Caveats: "The statistics are over samples, not over time. cell_mean alone is the mean over the cells of protocol_delay of the SRTT at the end of each, while the subflow is open: in tables, protocol delay less HoL degree then is the larger SRTT, as long as the slower path delivers in every cell.",
	},
	{
		Name: "rttvar", JSON: "rttvar_ms", Unit: "ms", Levels: inSubflowDir, Better: LowerIsBetter, Series: true,
		Definition: "Smoothed deviation of the round-trip time.",
		Formula:    "rttvar = 3/4 rttvar + 1/4 |srtt - rtt| for every sample of rtt, with the srtt before it; the first sample sets it to rtt / 2", Source: "RFC 6298 Section 2", Evidence: Evidence{observed, echo, observed},
		Caveats: "It is not the kernel's: round trips that become shorter raise the deviation of Linux (mdev, the second number of rtt in ss -ti) an eighth as much, and for the timer Linux takes the largest mdev of each round trip (mdev_max), at least tcp_rto_min (200 ms), with a decay of its own.",
	},
	{
		Name: "rto", JSON: "rto_ms", Unit: "ms", Levels: inSubflowDir, Better: LowerIsBetter, Series: true,
		Definition: "Retransmission timeout that RFC 6298 makes of the samples, with the least and the largest value of Linux.",
		Formula:    "min(srtt + max(200 ms, 4 rttvar), 120 s) after every sample of rtt", Source: "RFC 6298 Section 2", Evidence: Evidence{observed, echo, observed},
		Caveats: "Without the backoff of timeouts that happen. It is not the kernel's timer, whose variance term has a floor and a decay of its own (see rttvar): against values of kernels, -19 % were seen in the median and +447 % at the 95th percentile. " +
			"Do not take it for the rto of ss -ti.",
	},
}

// delayRows are the delays between sending data and its DATA_ACK. Two captures
// match them unless one of them misses some of the data; then they remain what
// the better placed of the two shows.
var delayRows = []Metric{
	{
		Name: "path_delay", JSON: "path_delay_ms", Symbol: "T_i", Unit: "ms", Levels: inSubflowDir, Better: LowerIsBetter, Series: true,
		Definition: "Time from the first transmission of a chunk of data to the arrival of the DATA_ACK that covers its last byte, booked on the path that carried it first, also where a reinjection elsewhere delivered it. A chunk is the part of a captured packet that one mapping covers. Chunks weigh by their bytes.",
		Formula:    "T = t_d - t_s, t_s: first transmission, t_d: arrival of the DATA_ACK; at the receiver, of the path of the first arrival, T = τ_i + (DATA_ACK leaves - arrival), τ_i: srtt at that time", Source: "FI23, FED23", Evidence: Evidence{observed, echo, matched},
		Caveats: "At the receiver it is an upper bound where the two ways differ in delay, and does not see time lost before the first arrival. It ends with a fallback to TCP: data first sent since then, and data that only the subflow's ACK covers, take no part in it, nor in what is made of it.",
	},
	{
		Name: "waiting_time", JSON: "waiting_time_ms", Symbol: "θ_i", Unit: "ms", Levels: inSubflowDir, Better: LowerIsBetter, Series: true,
		Definition: "The part of the path delay that the path's own round trip does not explain. Chunks weigh by their bytes.",
		Formula:    "θ = T - τ_i, τ_i: srtt of the path when the DATA_ACK passes, after the sample that this packet gives", Source: "FI23", Evidence: Evidence{observed, echo, matched},
		Caveats: "May be somewhat negative, as τ_i lags behind.",
	},
	{
		Name: "hol_wait", JSON: "hol_wait_ms", Symbol: "w", Also: []string{"hol_wait_clipped"}, Figures: map[string]string{"hol_wait_clipped": "clipped"}, Unit: "ms", Levels: inSubflowDir, Better: LowerIsBetter, Series: true,
		Definition: "How long a chunk that had reached the receiver waited for its DATA_ACK. Chunks weigh by their bytes.",
		Formula:    "max(0, t_d - t_a), t_a: a subflow's ACK or SACK first covers its last byte; at the receiver: DATA_ACK leaves - arrival", Source: "FI23; RFC 8684 Section 3.3.2", Evidence: Evidence{observed, observed, matched},
		Caveats: "At the sender the DATA_ACK often overtakes the subflow's ACK; such chunks count as 0, and `clipped` says how many they are. Two captures give it as the receiver does, from the true arrival.",
	},
	{
		Name: "in_order_wait", JSON: "in_order_wait_ms", Unit: "ms", Levels: inSubflowDir, Better: LowerIsBetter, Series: true,
		Definition: "Time from the first arrival of a chunk until everything below it in the data sequence had arrived too, 0 for what arrives in order. Chunks weigh by their bytes.",
		Source:     "this program", Evidence: Evidence{"", observed, matched},
		Caveats: "It goes on after a fallback to TCP, as it needs no DATA_ACK. It is the network's doing; hol_wait is the receiver's, and longer where the receiver threw data away that had arrived.",
	},
	{
		Name: "protocol_delay", JSON: "protocol_delay_ms", Symbol: "T_over (υ_av, υ_max)", Also: []string{"T̄", "T"}, Figures: map[string]string{"υ_av": "avg", "υ_max": "max"}, Unit: "ms", Levels: inConnDir, Better: LowerIsBetter, Series: true,
		Definition: "Delay of the connection: in each cell of the sampling grid the largest mean path delay among the subflows that delivered in it.",
		Formula:    "T_over(k) = max_i T_i(k), T_i(k): mean by bytes of the path delays of subflow i whose DATA_ACK passes in cell k; cells begin with the first data of the direction, one without a DATA_ACK that covers anything is none; υ_av = mean over k, υ_max = max over k", Source: "FI23 Table 3, FED23 Table 1", Evidence: Evidence{observed, echo, matched},
		Caveats: "The grid is set by --interval, 100 ms unless told otherwise; 0 takes a sample per DATA_ACK. In series.csv t_s is the beginning of a cell. A cell averages single late chunks away: they show in the maximum of path_delay.",
	},
	{
		Name: "hol_degree", JSON: "hol_degree_ms", Symbol: "ζ (ζ_av, ζ_max)", Figures: map[string]string{"ζ_av": "avg", "ζ_max": "max"}, Unit: "ms", Levels: inConnDir, Better: LowerIsBetter, Series: true,
		Definition: "Head-of-line blocking degree: how far the protocol delay exceeds the round trip of the slowest path that delivered in the cell.",
		Formula:    "ζ(k) = T_over(k) - max_i τ_i(k), both over the subflows with path delays in cell k, τ_i(k): srtt at the end of the cell", Source: "FI23 Table 3, FED23 Table 1", Evidence: Evidence{observed, echo, echo},
		Caveats: "At the sender it is too low, and often below zero, for two reasons: a DATA_ACK returns over the faster path, while τ of the slow path contains its own slow return; and τ is timed from the oldest segment that an ACK covers, while T weighs all of them. hol_blocking is the same quantity without this bias. Two captures give it as the receiver does; of them series.csv holds the sender's.",
	},
	{
		Name: "hol_blocking", JSON: "hol_blocking_ms", Symbol: "ζ'", Unit: "ms", Levels: inConnDir, Better: LowerIsBetter, Series: true,
		Definition: "Head-of-line blocking degree from the waits that were measured: how far round trip and wait together exceed the round trip of the slowest path that delivered in the cell. Never negative.",
		Formula:    "ζ'(k) = max_i (τ_i(k) + w_i(k)) - max_i τ_i(k), both over the subflows with path delays in cell k and a round-trip time; w_i: mean of hol_wait in the cell, by bytes; τ_i(k): srtt at the end of the cell", Source: "this program, after FI23 and FED23", Evidence: Evidence{observed, echo, echo},
		Caveats: "A wait on a fast path counts only with what it adds beyond the slowest path. At the sender a chunk whose DATA_ACK overtakes the subflow's ACK has no wait. Two captures give it as the receiver does; of them series.csv holds the sender's.",
	},
	{
		Name: "hol_degree_all_paths", JSON: "hol_degree_all_paths_ms", Unit: "ms", Levels: inConnDir, Better: LowerIsBetter, Series: true,
		Definition: "Head-of-line blocking degree against the slowest of all open paths, whether it delivered in the cell or not.",
		Formula:    "T_over(k) - max τ_i(k) over every subflow with an srtt that is open at the end of cell k, and those with path delays in it", Source: "this program, after FI23", Evidence: Evidence{observed, echo, echo},
		Caveats: "An idle slow path makes it negative, and so does what makes hol_degree negative. Two captures give it as the receiver does; of them series.csv holds the sender's.",
	},
	{
		Name: "hol_queue", JSON: "hol_queue_bytes", Unit: "bytes", Levels: inConnDir, Better: LowerIsBetter, Series: true,
		Definition: "Data that has reached the receiver and no DATA_ACK covers yet; values weigh by the time they last, at the receiver from the first data segment, at the sender from the first acknowledgment of data, to the last data segment; the maximum is that of all instants, also after the last data segment. It ends with a fallback to TCP.",
		Formula:    "at the receiver: arrived - DATA_ACKed; at the sender: acknowledged or SACKed on a subflow - DATA_ACKed, each byte once",
		Source:     "FED23 (head-of-line blocking in packets)", Evidence: Evidence{observed, observed, matched},
		Caveats: "At the sender it is what subflows acknowledged, as of then: half a round trip old.",
	},
	{
		Name: "hol_queue", JSON: "hol_queue_segments", Unit: "segments", Levels: inConnDir, Better: LowerIsBetter,
		Definition: "The same queue in segments.", Source: "FED23", Evidence: Evidence{observed, observed, matched},
		Caveats: "A chunk counts its segments until its last byte is covered.",
	},
}

// orderRows are the order in which data passes.
var orderRows = []Metric{
	{
		Name: "dsn_offset", JSON: "dsn_offset_bytes", Symbol: "O3-DSN", Unit: "bytes", Levels: inConnDir, Better: LowerIsBetter, Series: true,
		Definition: "Out-of-order offset: how far the start of a chunk lies from that of the chunk received before it, on whatever subflow, copies included.",
		Formula:    "DSN(k) - DSN(k-1), of the first bytes; parts of one packet that continue each other are one chunk; the DATA_FIN is none", Source: "REC16", Evidence: Evidence{sendOrder, observed, observed},
		Caveats: "At the sender it describes how the scheduler interleaves. `peak` is the largest absolute value, `discontinuous_percent` the part of chunks whose first byte is not the one behind the last byte of the chunk before.",
	},
	{
		Name: "out_of_order", JSON: "out_of_order", Unit: Composite, Levels: inConnDir, Better: LowerIsBetter,
		Definition: "Reordering over data sequence numbers, duplicates left out: ratio, extent in chunks, bytes and time, n-reordering; occupancy of a reorder buffer and its density.",
		Formula:    "a chunk, or what is new of it, is reordered if it starts below the highest byte seen; ratio = these / chunks that passed for the first time; extent: from the arrival of the earliest chunk above it, in chunks (extent_chunks), in ms (extent_ms), and bytes above it that had arrived (extent_bytes); the buffer holds the chunks above data that is missing, and is looked at after each chunk", Source: "RFC 4737 Sections 3, 4.1 to 4.4, 5.3; RFC 5236 Section 5", Evidence: Evidence{sendOrder, observed, observed},
		Caveats: "At the sender it is the scheduler's order, not the network's. What was DATA_ACKed is not missing. A chunk that is partly new counts with its new part. See also n_reordering and buffer_density.",
	},
	{
		Name: "bursts", JSON: "bursts", Unit: Composite, Levels: inSubflowDir, Better: NeitherIsBetter,
		Definition: "Runs of data on one subflow of which each chunk continues the one before in the data sequence, with no data of another subflow between: number, bytes, and the time from the first to the last chunk, 0 for a single one.",
		Source:     "this program", Evidence: everywhere,
		Caveats: "A gap in the data ends a run also where no other subflow carried anything between. Reinjections belong to runs and end those of other subflows; retransmissions, on whatever subflow, neither belong to a run nor end one. At the receiver loss and reordering cut runs that left in one.",
	},
}
