package metrics

// rateRows are rates and shares.
var rateRows = []Metric{
	{
		Name: "throughput", JSON: "throughput_mbps", Unit: "Mbit/s", Levels: inBothDirs, Better: HigherIsBetter, Series: true,
		Definition: "TCP payload over time, copies included. The average is over the active time; everything else is over the cells of the sampling grid.",
		Formula:    "8 bytes / (last - first data packet); per cell 8 bytes / length of the cell; cells begin with the first data of the direction of the connection, on whatever subflow, and follow each other up to its last", Source: "FI23 Table 3, FED23 Table 1, QoE24, MIX", Evidence: everywhere,
		Caveats: "The last, partial cell stands in the series, divided by its covered part, up to the last data, and in no statistic; one that is covered for less than half stands in neither. Where data passed mostly outside whole cells the average may lie beyond all of them: min and max are then null. cov = stddev / cell_mean measures fluctuation.",
	},
	{
		Name: "goodput", JSON: "goodput_mbps", Unit: "Mbit/s", Levels: inConnDir, Better: HigherIsBetter, Series: true,
		Definition: "Application data over time, each byte when it passed first.",
		Formula:    "as throughput, over new data sequence numbers", Source: "QoE24, MIX", Evidence: everywhere,
		Caveats: "At the sender when first sent, at the receiver when first arrived.",
	},
	{
		Name: "share", JSON: "share_percent", Unit: "percent", Levels: inSubflowDir, Better: NeitherIsBetter, Series: true,
		Definition: "Part of the connection's data that this subflow was the first to carry.",
		Formula:    "100 first bytes here / first bytes on all subflows; in series.csv of each cell of goodput", Source: "MIX", Evidence: everywhere,
		Caveats: "At the sender who sent first, at the receiver whose copy arrived first.",
	},
	{
		Name: "aggregation_benefit", JSON: "aggregation_benefit", Unit: "1", Levels: inConnDir, Better: HigherIsBetter,
		Definition: "How many times the data of its best path the connection carried.",
		Formula:    "goodput of the connection / goodput of its best path, both over the active time of the connection, which cancels: bytes / max of paths[].first_bytes", Source: "this program", Evidence: everywhere,
		Caveats: "1 where one path carried all. A path may have several subflows: see `paths`. It does not say what the best path would have achieved alone.",
	},
}

// lossRows are loss and its repair.
var lossRows = []Metric{
	{
		Name: "drops", JSON: "drops", Symbol: "D (δ, d1, d2)", Also: []string{"drop_rate", "drop_rate_percent", "drop_rate_per_s", "loss"},
		Figures: map[string]string{"D": "count", "δ": "percent", "d1": "per_s", "d2": "per_s", "drop_rate": "percent", "drop_rate_percent": "percent", "drop_rate_per_s": "per_s", "loss": "percent"},
		Unit:    Composite, Levels: inSubflowDir, Better: LowerIsBetter,
		Definition: "Segments lost on the way, also as a part of those sent and per second.",
		Formula:    "one capture at the sender: retransmitted copies - duplicates that DSACK reports + before_capture; δ = 100 D / (segments + before_capture); d1, d2 = D / (last - first data packet of the subflow). At the receiver D = hole_fills; with two captures D = segments that left one host and never came to the other", Source: "FI23 Table 3, FED23 Table 1; RFC 2883", Evidence: Evidence{inferred, holes, matched},
		Caveats: "Without SACK unavailable at the sender. At the receiver a lower bound. `before_capture`: what the sending host itself dropped (queueing discipline, netem, policer) before the capture saw it, a lower bound: hole_fills of the sender's capture less those whose first copy had arrived, as an acknowledgment, DSACK, Eifel or an ACK too early for the copy shows; these the capture missed (not_captured_bytes). `unresolved` are segments of which the capture does not show the fate. Reinjection is not loss.",
	},
	{
		Name: "retransmission_ratio", JSON: "retransmission_ratio_percent", Unit: "percent", Levels: inSubflowDir, Better: LowerIsBetter,
		Definition: "Retransmitted as a part of sent segments.",
		Formula:    "100 retransmitted_segments / segments", Source: "MIX", Evidence: everywhere,
		Caveats: "At the receiver only duplicates count.",
	},
	{
		Name: "retransmission_kinds", JSON: "retransmission_kinds", Unit: Composite, Levels: inSubflowDir, Better: LowerIsBetter,
		Definition: "Segments sent again, retransmitted_segments and hole_fills together, by cause: fast, timeout, tail probe, unknown; and, whatever the cause, those that were not needed.",
		Formula:    "fast: later data was SACKed, or sent later and acknowledged (RACK), or three duplicate ACKs, or during a recovery that these began a partial ACK; timeout: after 0.8 (SRTT + 200 ms) without progress and none of these signs, or at SND.UNA 0.8 RTO after an earlier copy, and what is sent again until all that was then in flight is acknowledged; tail probe: the last segment, before that; unknown: the rest",
		Source:     "RFC 5681 Section 3.2, RFC 6582, RFC 6675, RFC 6298, RFC 5682, RFC 8985 Sections 6.2 and 7, RFC 3522, RFC 3708", Evidence: Evidence{inferred, "", inferred},
		Caveats: "A needless copy can itself be lost: `spurious` takes nothing from the drops. 200 ms is the least that Linux adds to SRTT. With SACK the first copy of a lone segment is a tail probe, however late. After a timeout that proves needless, copies have causes of their own.",
	},
}

// windowRows are receive windows.
var windowRows = []Metric{
	{
		Name: "rwnd", JSON: "rwnd_bytes", Symbol: "awnd", Unit: "bytes", Levels: inConnDir, Better: HigherIsBetter, Series: true,
		Definition: "Window that the receiver of this direction offers, at the level of the connection.",
		Formula:    "window field << window scale of that subflow, one value for each packet with a DATA_ACK from the receiver of this direction, SYNs left out", Source: "RFC 8684 Section 3.3.5, RFC 7323 Section 2", Evidence: everywhere,
		Caveats: "Needs the handshake of the subflow, for the scale.",
	},
	{
		Name: "rwnd_free", JSON: "rwnd_free_bytes", Unit: "bytes", Levels: inConnDir, Better: HigherIsBetter, Series: true,
		Definition: "What of the window the sender had not used.",
		Formula:    "max over packets so far (DATA_ACK + rwnd) - end of the highest data sequence number sent, one value for each packet with a DATA_ACK", Source: "RFC 8684 Section 3.3.5", Evidence: everywhere,
		Caveats: "Away from the sender what is on its way counts as unused.",
	},
	{
		Name: "rwnd_limited", JSON: "rwnd_limited_ms", Unit: "ms", Levels: inConnDir, Better: LowerIsBetter,
		Definition: "Time in which nothing of the window was left, from the data that used it up to the packet that opened it.",
		Formula:    "time with rwnd_free <= 0", Source: "RFC 8684 Section 3.3.5", Evidence: everywhere,
		Caveats: "A sender that waits for room for a whole segment is limited earlier. It ends with a fallback, behind which no DATA_ACK says what is left. A summary tells it from 1 % of the connection's time, or a second, on.",
	},
}

// lastRound is the rule by which the last round counts.
const lastRound = "The last round counts if the subflow has a packet at its end or later, whatever it carries."

// controlRows are what the controllers of papers would have seen and decided.
var controlRows = []Metric{
	{
		Name: "awnd_delta", JSON: "awnd_delta", Symbol: "awnd_delta", Unit: "1", Levels: inConnDir, Better: HigherIsBetter, Series: true,
		Definition: "Where the offered window stands against its mean, on the scale of its extremes; all of them over the windows seen so far.",
		Formula:    "(awnd - mean awnd) / (max awnd - min awnd), awnd: the values of rwnd up to and with this one", Source: "REC16", Evidence: Evidence{reconstructed, reconstructed, reconstructed},
		Caveats: "The paper's formula was reconstructed. No value while all windows were equal.",
	},
	{
		Name: "rb2loc", JSON: "rb2loc", Symbol: "RB2LOC", Unit: Composite, Levels: inConnDir, Better: LowerIsBetter,
		Definition: "Spells in which the receive buffer fills up: number, time, depth. Each is an event of that kind as well.",
		Formula:    "a spell begins with a value of awnd_delta that is < 0 and below the one before it, and ends with the first value that is not; total_ms: sum of these times; depth: the lowest value of all spells, as a positive number", Source: "REC16", Evidence: Evidence{reconstructed, reconstructed, reconstructed},
		Caveats: "The rule was reconstructed. Of each direction 250 events are listed; the others are only counted.",
	},
	{
		Name: "dsr", JSON: "dsr_mbps", Symbol: "DSR", Unit: "Mbit/s", Levels: inSubflowDir, Better: HigherIsBetter, Series: true,
		Definition: "Rate of arrival over a path in rounds of one smoothed round-trip time, as MPTCP-rec's receiver estimates it.",
		Formula:    "rounds follow each other without a gap from the first data packet behind the first round-trip sample on; each lasts as long as srtt is when the first data packet at or behind its beginning passes. " + lastRound + " R <- 0.5 R + 0.5 (8 bytes of payload in the round / its length), the first round sets it; dsr = sum of w_j R_j over the latest 8 rounds, newest first w = 1/6 1/6 1/6 1/6 2/15 1/10 1/15 1/30", Source: "REC16, with the weights of TEAR", Evidence: Evidence{"", reconstructed, reconstructed},
		Caveats: "The formula was reconstructed. With fewer than 8 rounds the weights are scaled to the sum 1. A round without data counts as 0.",
	},
	{
		Name: "rec_path_list", JSON: "rec_path_list", Unit: Composite, Levels: inConnDir, Better: NeitherIsBetter,
		Definition: "Which paths MPTCP-rec would have used for how long: all, and without the one of least dsr while an rb2loc spell lasts.",
		Formula: "the choice is made once per spell, at its first window, among the open subflows with a finished dsr round, and holds to the end of the spell; the dsr of each is brought up to that time: rounds of the length of its open one that would have ended by then count, the first with what arrived in it, the others with 0. " +
			"without[]: spells and their time, per subflow; all_paths_ms: first to last window, less these times",
		Source: "REC16", Evidence: Evidence{"", reconstructed, reconstructed},
		Caveats: "The rule was reconstructed. The session ran without it: its effect does not show. Where fewer than two open subflows have a finished round, none is left out.",
	},
	{
		Name: "cwnd_estimate", JSON: "cwnd_estimate_bytes", Symbol: "cwnd", Unit: "bytes", Levels: inSubflowDir, Better: NeitherIsBetter, Series: true,
		Definition: "Congestion window as far as it shows: the largest number of bytes in flight in each round of one smoothed round-trip time.",
		Formula:    "a round begins with a data packet: the first behind the first round-trip sample, then the first at or behind the end of the round before; it lasts as long as srtt is at its beginning; time between rounds is in none. " + lastRound + " The value is max (SND.NXT - SND.UNA) right after each data packet of the round", Source: "QoE24", Evidence: Evidence{inferred, "", inferred},
		Caveats: "A lower bound where the application or the receive window limits the sender, too large while a loss is being repaired.",
	},
	{
		Name: "cwnd_estimate", JSON: "cwnd_estimate_mss", Symbol: "cwnd", Unit: "segments", Levels: inSubflowDir, Better: NeitherIsBetter,
		Definition: "The same in segments.", Formula: "cwnd_estimate_bytes / (MSS option of the peer - option bytes of the latest data packet)",
		Source: "QoE24", Evidence: Evidence{inferred, "", inferred},
	},
	{
		Name: "throughput_estimate", JSON: "throughput_estimate_mbps", Unit: "Mbit/s", Levels: inSubflowDir, Better: HigherIsBetter, Series: true,
		Definition: "Throughput that the estimated window gives.",
		Formula:    "cwnd MSS / RTT, once per round; RTT: mean of the round-trip samples (rtt) from the round's beginning to that of the next, of the last round to the end of the subflow", Source: "QoE24 eq. 1", Evidence: Evidence{inferred, "", inferred},
		Caveats: "A round without a round-trip sample, in which all that was acknowledged had been sent twice, has none.",
	},
	{
		Name: "cwnd_decisions", JSON: "cwnd_decisions", Unit: Composite, Levels: inSubflowDir, Better: NeitherIsBetter,
		Definition: "What the throughput-based congestion control would have done after each round: decrease, increase or hold, and the windows that follow. It damps: it takes away above the mean and adds below it.",
		Formula:    "X: throughput_estimate, M: mean of those before it in congestion avoidance; X > (1 + γ) M: cwnd <- cwnd - α; X < (1 - γ) M: cwnd <- cwnd + β; else hold", Source: "QoE24 eq. 2", Evidence: Evidence{inferred, "", inferred},
		Caveats: "Congestion avoidance begins with the round that shows the first loss, or with the first whose window is less than 1.5 times that of the round before; the first decision follows the second estimate from there. " +
			"--qoe-alpha (1 segment) and --qoe-beta (5 segments) have the paper's example as defaults, --qoe-gamma (0.1) a choice of this program. A decrease leaves at least one segment. The session ran without these decisions.",
	},
}
