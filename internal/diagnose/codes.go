package diagnose

import (
	"cmp"
	"fmt"
	"strconv"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/remedy"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// code holds the explanation of a verdict for the command explain.
type code struct {
	code     report.VerdictCode
	meaning  string
	rule     string // the condition of the verdict, with the limits
	severity string // severity and cost
	source   string // source of the rule; empty for this program
}

// Codes returns an explanation for each verdict. Limits come from the constants by which
// verdicts are found.
func Codes() (out []catalogue.Metric) {
	for _, c := range codes {
		out = append(out, catalogue.Metric{
			Name: string(c.code), JSON: string(c.code), Also: []string{}, Unit: catalogue.VerdictUnit, Levels: []catalogue.Level{catalogue.OfVerdict},
			Better: catalogue.NeitherIsBetter, Definition: c.meaning, Formula: c.rule, Source: cmp.Or(c.source, "this program"), Caveats: c.severity,
			Family: catalogue.FamilyVerdicts, Remedy: remedy.Of(c.code, nil),
		})
	}
	return out
}

// limit writes a percentage as the explanations have it.
func limit(percent float64) string { return strconv.FormatFloat(percent, 'g', -1, 64) + " %" }

// span writes a time given in nanoseconds as a limit.
func span(ns float64) string {
	if ns >= 1e9 {
		return strconv.FormatFloat(ns/1e9, 'g', -1, 64) + " s"
	}
	return strconv.FormatFloat(ns/1e6, 'g', -1, 64) + " ms"
}

// enough says which directions are judged.
var enough = fmt.Sprintf("Only directions with %g kB of data or more are judged", fewBytes/1e3)

// idleReasons are the reasons other than the scheduler for which a path is idle.
var idleReasons = fmt.Sprintf("it is a backup; nothing was outstanding for >= %s of the time; the receive window had no room for a segment for >= %s of the time; the capture is not the sender's",
	limit(quietSome), limit(fullMuch))

// codes explains every verdict, in the order of the command explain.
var codes = []code{
	// Verdicts on the handshake of a connection and on the capture.
	{
		report.VerdictNotGranted, "The SYN asked for Multipath TCP and the SYN/ACK did not grant it, or the option vanished on the way.",
		"one of these:\n- the SYN has MP_CAPABLE and the SYN/ACK has not, there is no capture at b, and neither version nor flags explain it\n- MP_CAPABLE of the SYN/ACK has a form that its version does not have\n- the SYN has no MPTCP option, and its sender uses MPTCP options later",
		"Severity: critical.", "RFC 8684 Section 3.1",
	},
	{
		report.VerdictPeerPlain, "The SYN with MP_CAPABLE arrived, and the host that answers does not speak Multipath TCP here.",
		"as mptcp_not_granted, in a capture at b", "Severity: critical.", "RFC 8684 Section 3.1",
	},
	{
		report.VerdictVersion, "The hosts have no version of Multipath TCP in common.",
		"one of these:\n- the answer has no MP_CAPABLE, and the SYN has a version above 1, or version 0 in a capture at b, or the same host and port granted the other version to another connection of the report\n- the SYN/ACK has a version above 1\n" +
			"- the connection fell back, and the versions of SYN and SYN/ACK, or of SYN/ACK and third ACK, differ",
		"Severity: critical.", "RFC 8684 Section 3.1",
	},
	{
		report.VerdictFlags, "MP_CAPABLE has flags for which the peer ignores it.",
		"flag B is set, or flag H is not, in SYN, SYN/ACK or third ACK, and the connection is plain TCP or fell back", "Severity: critical.", "RFC 8684 Section 3.1",
	},
	{
		report.VerdictSYNDropped, "A SYN with MP_CAPABLE got no answer in time, and was repeated without it.",
		"a repeated SYN leaves out the option that an earlier one had; where the SYN/ACK has it, packets of the handshake were lost and nothing drops the option", "Severity: critical.", "RFC 8684 Section 3.1; Linux net.mptcp.blackhole_timeout",
	},
	{report.VerdictUnanswered, "No SYN got an answer.", fmt.Sprintf("SYN with MP_CAPABLE, neither SYN/ACK nor RST in the capture, which goes on for %s", span(report.AnswerTime)), "Severity: critical.", ""},
	{report.VerdictRefused, "The SYN was answered with RST.", "SYN with MP_CAPABLE, RST in place of the SYN/ACK", "Severity: critical.", "RFC 9293 Section 3.5.2"},
	{report.VerdictNotRequested, "The SYN does not ask for Multipath TCP.", "SYN without MP_CAPABLE, and no later packet of its sender with an MPTCP option", "Severity: note.", "RFC 8684 Section 3.1"},
	{
		report.VerdictSetupSlow, "The handshake of the first subflow was slow, because its packets were lost and repeated.",
		"more than one SYN or SYN/ACK", fmt.Sprintf("Severity: warning where it took %s from the first SYN to the third packet, else note. Cost: this time as a percentage of that of the connection; cost_s: this time.", span(slowSetup)), "RFC 6298 Section 2",
	},
	{
		report.VerdictCaptureGap, "Packets are missing from the capture, not from the network.",
		"bytes that were acknowledged on a subflow and that the capture lacks, although it has earlier data or the SYN; it comes first, whatever its severity",
		fmt.Sprintf("Severity: warning where they are >= %s of the payload, else note. cost_bytes: these bytes.", limit(gapMuch)), "",
	},
	{
		report.VerdictOneDirection, "The capture has the packets of one end alone, of the connection or of a subflow, although the other end sent some.",
		"no packet of an end, and one of these shows that the other one got some:\n- it acknowledges, and its SYN or SYN/ACK is captured, too\n- it sent a RST after its SYN\n- 8 or more of its packets are captured, and it acknowledges more than it did at first\n- 8 or more are captured, and it echoes one TCP timestamp after another\n" +
			"Verdicts that claim something of the missing packets are left out then. Where half of the connections or more show one direction alone, a SYN without an answer proves nothing, either",
		"Severity: warning; it comes first.", "RFC 9293 Sections 3.4 and 3.5, RFC 7323 Section 4.3",
	},
	{
		report.VerdictLateStart, "The capture begins in the middle of the connection.",
		"Multipath TCP, packets of both ends are captured, and none of a handshake of any subflow", "Severity: note. Where the place of the capture is not known either, --vantage brings back what depends on it.", "",
	},
	{
		report.VerdictTwice, "The captures hold packets twice. It is about the captures, so every connection gets it.",
		"one of the warnings copies_on_one_interface, packets_repeated and captured_at_two_places",
		"Severity: note where the copies are counted once and all figures hold. Warning where that is not certain: then copies count as sent again. Warning also where a path lies between the places: then figures of time are absent.", "",
	},
	{
		report.VerdictUncaptured, "Data passed on a path that is not in the capture: no figure includes it.",
		fmt.Sprintf("bytes that a DATA_ACK acknowledged and no captured subflow carried: >= %s of these bytes and the captured ones together, and %d bytes at least. No fallback, no mapping cut off",
			limit(unseenMuch), fewSegment),
		"Severity: warning.", "RFC 8684 Section 3.3.2",
	},
	{
		report.VerdictMalformed, "MPTCP options have no legal form. Hosts ignore such options.",
		"an event malformed_option; that a reset may come of it is said by the verdict on the reset", "Severity: note.", "RFC 8684 Section 3",
	},
	{
		report.VerdictOptionsCut, "The snapshot length of the capture cut TCP options off, so they are not known.",
		"any packet whose options are not captured to their end", fmt.Sprintf("Severity: warning where they are >= %s of these packets and those with an MPTCP option, else note.", limit(cutMuch)), "",
	},
	{
		report.VerdictEndsEarly, "The capture ends before it can be said that something did not happen.",
		fmt.Sprintf("the capture ends less than %s after a packet that nothing follows yet: a SYN without an answer, a path without progress or data, an announced address that is not used, a DATA_FIN or a mapping that is missing. The connection is open. If a gap of the capture begins in this time, the gap alone is said. "+
			"A SYN is sent again after 1 s and after 3 s, and the answer to the last one takes a round trip", span(report.AnswerTime)),
		"Severity: note.", "RFC 6298 Sections 2.1 and 5.5",
	},

	// Verdicts on further subflows and on addresses.
	{report.VerdictJoinRefused, "A SYN with MP_JOIN was answered with RST.", "RST and no SYN/ACK", "Severity: critical.", "RFC 8684 Sections 3.2 and 3.6"},
	{report.VerdictJoinNotGranted, "A SYN with MP_JOIN was answered by a SYN/ACK without.", "SYN/ACK that is whole in the capture and has no MP_JOIN", "Severity: critical.", "RFC 8684 Section 3.2"},
	{
		report.VerdictJoinStripped, "A SYN came without an MPTCP option although it was a join: something removed MP_JOIN.",
		"plain TCP whose initiator ends it with MP_TCPRST; connections that were open then to the same host and port get the verdict, too", "Severity: critical.", "RFC 8684 Sections 3.6 and 3.7",
	},
	{report.VerdictJoinUnanswered, "No SYN with MP_JOIN got an answer.", fmt.Sprintf("neither SYN/ACK nor RST, and not too_short. The capture goes on for %s, or the connection ends before", span(report.AnswerTime)), "Severity: critical.", "RFC 8684 Section 3.2"},
	{report.VerdictJoinAborted, "A subflow was reset before it carried anything.", "RST after a SYN/ACK with MP_JOIN, no payload either way, and not too_short", "Severity: critical; warning where the host that sends most of the data sent the RST and announced no new data after it.", "RFC 8684 Section 3.2"},
	{
		report.VerdictJoinSlow, "It took long until a further subflow could be used, because packets of its handshake were lost and repeated.",
		"more than one SYN or SYN/ACK with MP_JOIN", fmt.Sprintf("Severity: warning where it took %s from the first SYN to the first packet of the responder after the third ACK, else note. Cost: this time as a percentage of that of the connection; cost_s: this time.", span(slowSetup)), "RFC 8684 Section 3.2",
	},
	{
		report.VerdictSinglePath, "One path only: no further subflow was attempted, or all subflows with data use one path.",
		fmt.Sprintf("one subflow, a captured handshake and no fallback; or several subflows with data, all of one path, from %g kB of data in the direction on", fewBytes/1e3),
		fmt.Sprintf("Severity: without further subflow, warning if the connection has at least %g kB of data and lasts %s, and nothing critical explains it; else note. Over one path note. cost_bytes: the data of both directions.", fewBytes/1e3, span(shortRun)), "RFC 8684 Section 2",
	},
	{
		report.VerdictEndpointUnused, "The records of the host that opened the connection have an endpoint with the flag subflow, and no subflow came from it.",
		"with records of a (--evidence): an endpoint with the flag subflow is listed before and after the connection, which lasts a second or longer and has the same address family. Its address is on no subflow of the capture, and on no socket and in no event of the records",
		"Severity: warning.", "ip-mptcp(8)",
	},
	{report.VerdictJoinForbidden, "A host set flag C of MP_CAPABLE: no subflow may be opened to the address and port of the first one.", "flag C, and no further subflow", "Severity: note.", "RFC 8684 Section 3.1"},
	{
		report.VerdictAddAddrNotEchoed, "An announced address was never confirmed.",
		fmt.Sprintf("ADD_ADDR of version 1 without an echo, %s or longer before it was withdrawn or the connection ended", span(leastStanding)),
		"Severity: note where a subflow uses the address all the same, else warning.", "RFC 8684 Section 3.4.1",
	},
	{
		report.VerdictAddAddrNotJoined, "An announced address was never used.",
		fmt.Sprintf("no subflow has its address id or its address and port, %s or longer after the ADD_ADDR", span(leastStanding)), "Severity: warning.", "RFC 8684 Section 3.4.1",
	},
	{
		report.VerdictTooShort, "The transfer was too short to use a path.",
		"One of these:\n- A join was reset without payload, after the DATA_FIN of the host that sent more data. Or that host reset it when it had announced all its data, " + span(report.AnswerTime) + " or less before its DATA_FIN.\n" +
			"- The only SYN of a join had no answer when that DATA_FIN came, less than " + span(firstTimeout) + " later.\n- A subflow without data in a direction was open in less than half of the cells of 100 ms in which others carried some.\n" +
			fmt.Sprintf("- A subflow never carried any, each direction has less than %g kB, and no other verdict names the subflow", fewBytes/1e3),
		"Severity: note.", "",
	},

	// Verdicts on single paths.
	{
		report.VerdictPathDied, "A path died, and another continued.",
		fmt.Sprintf("a handover (see handovers), and neither path_removed nor nat_rebinding, nor a reset after checksum_failed on that subflow. At the sender, a path that came back does not count if chance explains its silence. The loss rate outside of the silence then gives so many segments in a row without an answer a probability of %g or more", byChance), "Severity: critical. cost_s: blocked_ms of the handover, the time in which in-order delivery waited for data of this path.", "",
	},
	{
		report.VerdictAllStopped, "All paths stopped at once.",
		fmt.Sprintf("no subflow made progress for %s or longer, and for %d smoothed round trips or longer. Two or more had carried data, and each of these had data outstanding. At the sender progress is an ACK of data, and the time may last to the end. At the receiver it is an arrival: "+
			"each subflow but one had a hole in its stream or lacked data that a mapping had announced, the one that went on carries data that an earlier packet announced, and the receive window had room", span(symptoms.DeadAfter), symptoms.DeadRounds),
		"Severity: warning. cost_s: these times. It stands for stalled and path_died of these times, and before the losses with cause link_down.", "RFC 6298",
	},
	{
		report.VerdictBlackHole, "A path carries small segments and no large ones: its MTU is smaller, and the sender does not learn that (MTU black hole).",
		fmt.Sprintf("at the sender, all of these:\n- the first segment that waits was sent three times, and %d or more segments that wait are larger than all that were acknowledged\n- a smaller one that was sent after one of them was SACKed\n"+
			"- up to the end no segment of their size was acknowledged on that subflow\n- the peer sent a packet on it later, so the path is not down", blackHoleLeast),
		"Severity: warning. It stands for path_died of that subflow.", "RFC 2923 Section 2.1, RFC 4821",
	},
	{
		report.VerdictGone, "An idle path does not answer keep-alives any more.",
		fmt.Sprintf("%d or more keep-alives or window probes in a row, and no packet of the other end on this subflow after the first of them; no path_died", goneLeast),
		"Severity: note, for nothing waits for the path.", "RFC 9293 Section 3.8.4",
	},
	{
		report.VerdictRebinding, "A translator (NAT) gave a subflow a new port or address in the middle, which the peer does not know.",
		"a subflow without SYN in the capture begins after the last packet of an earlier subflow. One side has another address or port, and its sequence numbers continue those of the earlier subflow. The peer reset the new one or never answered",
		"Severity: critical. It stands for the path_died of that subflow. A capture on the other side of the translator shows only that the path died after a silence.", "RFC 5382 Section 5",
	},
	{
		report.VerdictPathRemoved, "A host withdrew the address of a path, which then ended.",
		fmt.Sprintf("a handover (see handovers) of a subflow of which REMOVE_ADDR withdrew an address id before its RST, or no later than %s after its last progress", span(shortRun)), "Severity: note. cost_s: as of path_died.", "RFC 8684 Section 3.4.2",
	},
	{report.VerdictBackup, "A path is a backup, or was one for much of its time.", fmt.Sprintf("either host asks for it by flag B of its MP_JOIN or by its latest MP_PRIO. Or the path is regular at the end of the connection, and was a backup for >= %s of its time", limit(backupMuch)), "Severity: note.", "RFC 8684 Sections 3.2 and 3.3.8"},
	{
		report.VerdictPathUnused, "A subflow was established and never given data.",
		"no payload in the direction, and open in half or more of the cells of 100 ms in which others carried some. " + enough,
		"Severity: warning, but note in these cases: " + idleReasons + ". Cost: the part of these cells in which it was idle; cost_s: these cells.", "",
	},
	{
		report.VerdictPathIdle, "The scheduler left a path idle while others carried data.",
		fmt.Sprintf("a cell of 100 ms counts if the subflow is open and any subflow carries payload in it. The subflow is idle in a cell if it carries none and, at the sender, has none outstanding. One of these holds:\n- it is idle in >= %s of at least %d such cells, and its share of the data is < %s",
			limit(idleMuch), idleLeast, limit(idleShare)) + fmt.Sprintf("\n- it is idle in all of the last of these cells up to the end of the data: %d or more, and >= %s of all. Its share does not matter then\n", idleLeast, limit(leftMuch)) + enough,
		"Severity: warning, but note in these cases: " + idleReasons + ". Cost: the part of these cells in which it was idle; cost_s: these cells.", "",
	},
	{
		report.VerdictCopies, "Much of the data was sent on several subflows, as a redundant scheduler does.",
		fmt.Sprintf("100 (reinjected_bytes - reinjected_same_subflow_bytes) / bytes >= %s", limit(copiesMuch)) + ". " + enough,
		"Severity: warning. Cost: this percentage; cost_bytes: these bytes.", "RFC 8684 Section 3.3.6",
	},
	{
		report.VerdictHeavyLoss, "A path loses much.",
		fmt.Sprintf("drops.percent >= %s and drops.count >= %d", limit(lossMuch), lossLeast) + ". " + enough + lossCauseRule,
		fmt.Sprintf("Severity: warning where drops.count is >= %s of the segments of all subflows in the direction, else note. Cost: this percentage; cost_bytes: drops.count times the mean size of a segment.", limit(lossCosts)), "FI23, FED23; Cen et al. 2003 (losses by their delay), Flach et al. 2016 (policers)",
	},
	{
		report.VerdictUnequalPaths, "Round trips or throughputs of the paths are far apart.",
		fmt.Sprintf("subflows with payload and a share_percent >= 1 count. The largest srtt_ms.avg is >= %g times the least. Or the largest throughput_mbps.avg is >= %g times the least, among those that carried what they could: srtt_ms.avg >= %g times rtt_ms.min, or drops.percent >= %s",
			rttRatio, speedRatio, queueRatio, limit(lossMuch)) + ". " + enough,
		"Severity: note.", "",
	},
	{
		report.VerdictAggregates, "Several paths together carried the data.",
		fmt.Sprintf("all of these:\n- aggregation_benefit >= %g\n- the paths limited: states path, recovery, congestion_window and slow_start of time_account make up %s or more, with state window where a queue stood on each path (path_full). Away from the sender states path and recovery make up %s or more, and more than rwnd\n- a path other than the one with most bytes, no backup, was open in half or more of the 100 ms cells in which any path carried payload\n- in >= %s of the cells in which that path carried payload, other paths did, too\n", benefitLeast, limit(networkMuch), limit(networkSome), limit(besideLeast)) + enough,
		"Severity: ok.", "",
	},

	// Verdicts on the flow of data.
	{
		report.VerdictHoLBlocked, "Data that had arrived waited for data of one path.",
		fmt.Sprintf("the first missing byte belonged to this subflow, and later data had passed on others, for >= %s of the time from first to last payload of the direction, and %s in all at least. "+
			"At the sender ACKs and SACKs show the subflow: one of them covers a later byte, and none covers the first missing byte, which is of this subflow. Elsewhere it is the subflow that fills the gap, or that lost the data if a reinjection fills it. Where the place of the capture is not known nothing is judged", limit(blockedMuch), span(noticeable)) + ". " + enough,
		fmt.Sprintf("Severity: warning where hol_blocking_ms.avg exceeds the largest srtt_ms.avg, or the receive window had no room for a segment for >= %s of the time; else note. Cost: hol_blocking_ms.avg / protocol_delay_ms.avg, the part of the delay that waiting adds, shared among the subflows by these times. That delivery waits for one path or the other is usual and costs no throughput while the window is open, so that cost_s is absent.", limit(fullMuch)), "",
	},
	{
		report.VerdictWindowClosed, "The receive window had no room for a segment.",
		fmt.Sprintf("state rwnd of time_account takes >= %s of the time of the direction, and %s in all at least. Below %s, one time without room lasted %s at least. Away from the sender, and without an account: less than a segment of rwnd_free was left for that time, if this is more",
			limit(fullSome), span(noticeable), limit(fullMuch), span(briefly)) + ". " + enough,
		fmt.Sprintf("Severity: warning from %s on, else note. Cost: this percentage; cost_s: this time. Away from the sender, data that has not reached the capture counts as room, so the true cost is at least this. A window that the receiver offers at less than half of its largest for half of that time means that the application leaves data unread. "+
			"The window that the remedy computes is the most that all paths delivered together over a second or longer, times the longest of their least round trips. It is a lower bound, because a window that limits lets no more through than it holds.", limit(fullMuch)), "RFC 8684 Section 3.3.5",
	},
	{
		report.VerdictShrunk, "The receiver took back window that it had offered, and the sender had no room.",
		fmt.Sprintf("on one subflow a packet with the highest DATA_ACK moved the right edge of the window to the left by more than a segment. Then the sender had room for less than a segment, for %s in all at least. Not where new data went beyond that window", span(noticeable)) + ". " + enough,
		fmt.Sprintf("Severity: warning where that time is >= %s of the time from first to last payload, else note. Cost: this percentage; cost_s: this time.", limit(fullMuch)), "RFC 9293 Section 3.8.6",
	},
	{
		report.VerdictApplication, "The application had nothing to send.",
		fmt.Sprintf("at the sender, nothing waited for a DATA_ACK and the receive window had room, for >= %s of the time from first to last payload of the direction. Or states application and idle of time_account together take >= %s of %s or more. It is %s in all at least.",
			limit(quietMuch), limit(appMuch), span(1e6*appLeast), span(noticeable)) + ". " + enough,
		"Severity: note. Cost: this percentage; cost_s: this time.", "",
	},
	{
		report.VerdictSenderLimited, "The sender limits itself: its send buffer is full, or its congestion window has a limit.",
		fmt.Sprintf("at the sender, state window in the time_account of the connection and direction takes >= %s of the time, and %s at least, and more than path_full has. Not where stripped_data explains that DATA_ACKs are missing. Packets do not tell which of the two it is", limit(senderMuch), span(noticeable)) + ". " + enough,
		"Severity: warning. Cost: this percentage; cost_s: this time.", "T-RAT (Zhang et al., 2002)",
	},
	{
		report.VerdictLossLimited, "Losses hold the congestion window of a path below what the path carries.",
		fmt.Sprintf("at the sender, all of these:\n- state congestion_window of the subflow takes >= %s of the time of the direction\n- the subflow lost a segment or more\n- the mean in_flight_bytes is at most %g times what a congestion control keeps that reduces its window with each round trip with losses: the larger of Reno's and CUBIC's, with the segments from loss to loss. BBR keeps more\n- srtt_ms.avg is less than %g times the least round trip: no queue stands",
			limit(mainLimit), mostSawtooth, queueRatio) + ". " + enough + ". The cause of the losses is found as for heavy_loss",
		fmt.Sprintf("Severity: warning where it costs %s of the time, else note. cost_s: what it would have saved if the path had carried all the time what it was seen to carry (in a round trip, or in a train of %d segments or more in slow start), and the other paths what they did.", limit(lossesCost), 8),
		"Mathis et al. (1997); RFC 9438 Section 5.1; RFC 5681",
	},
	{
		report.VerdictPathFull, "The paths in use were full: nothing else limits.",
		fmt.Sprintf("state path of time_account takes >= %s of the time of the direction. Where the mean round trip of each path with %s of the data or more is %g times its least, a queue stood on all of them: then states window and congestion_window count, too, because more in flight would only make the queues longer",
			limit(mainLimit), limit(shareMuch), standRatio) + ". " + enough,
		"Severity: ok. cost_s is absent: what a wider path saves depends on its rate.", "T-RAT (Zhang et al., 2002)",
	},
	{
		report.VerdictSlowStart, "The transfer ended before the congestion window had grown.",
		fmt.Sprintf("at the sender, states slow_start and congestion_window together take >= %s of the time of the direction, and neither loss_limited nor path_full holds", limit(mainLimit)) + ". " + enough,
		"Severity: note. cost_s is absent: it depends on the window to begin with.", "RFC 5681 Section 3.1, RFC 6928",
	},
	{
		report.VerdictRateFell, "The network gave a path less than half of its rate for a time.",
		fmt.Sprintf("the rate of acknowledged bytes is less than %g of the highest over a second before. Data is in flight all the time, and each round trip takes %g times the least or more. This holds for %s and %d least round trips at least. The rate is measured in windows of %s, or of %d least round trips if these are longer. "+
			"A time in which nothing at all was acknowledged for a second is none. At the sender, with SACK",
			symptoms.FallRatio, symptoms.FallRTT, span(symptoms.FallLeast), symptoms.FallRounds, span(symptoms.FallWindow), symptoms.FallWindowRounds),
		fmt.Sprintf("Severity: warning where it took %s of the time of the direction, else note. Cost: this percentage; cost_s: this time.", limit(fallCosts)), "",
	},
	{
		report.VerdictStalled, "Data was outstanding and no DATA_ACK came.",
		fmt.Sprintf("at the sender, the DATA_ACK did not advance for >= %s, up to its next advance or the end of the connection, and data was outstanding all the time", span(stallLeast)) + ". " + enough,
		"Severity: warning. Cost: this time as a percentage of that from first to last payload, 100 at most; cost_s: this time.", "RFC 8684 Section 3.3.2",
	},

	// Verdicts on fallback and on the ends of connections.
	{
		report.VerdictStrippedHandshake, "SYN and SYN/ACK carry MP_CAPABLE, and then no packet of a host has an MPTCP option.",
		"fallback, and not one packet of that host with an option after its SYN or SYN/ACK", "Severity: critical.", "RFC 8684 Section 3.7",
	},
	{
		report.VerdictStrippedData, "The MPTCP options of a host stop in the middle of the data.",
		fmt.Sprintf("its last %d packets or more on the first subflow have none, and one of these holds:\n- the connection fell back\n- the DATA_ACK of the peer's data stopped %s or longer before the end\n- in a capture at that host with one subflow, the peer's options go on for %s or longer", minWithoutOption, span(shortRun), span(shortRun)),
		"Severity: critical.", "RFC 8684 Section 3.7",
	},
	{report.VerdictChecksum, "Payload was changed on the way.", "a DSS checksum that does not hold in the capture, or MP_FAIL", "Severity: critical.", "RFC 8684 Sections 3.3.1 and 3.7"},
	{report.VerdictInfinite, "A host gave up Multipath TCP.", "a mapping of data-level length 0 on a packet with payload, and no other cause", "Severity: critical.", "RFC 8684 Section 3.7"},
	{report.VerdictFallback, "The connection fell back to TCP for another reason.", "fallback, and none of stripped_handshake, stripped_data, checksum_failed, infinite_mapping, version_mismatch and capable_flags; see fallback_code", "Severity: critical.", "RFC 8684 Section 3.7"},
	{
		report.VerdictUnmapped, "Payload has no mapping: the receiver cannot place it in the data.", "an event unmapped_data; no fallback, no gap of the capture, no options cut off",
		"Severity: warning where the DATA_ACK stands still up to the end of the capture, else note. cost_s: the time for which it does.", "RFC 8684 Section 3.3.1",
	},
	{
		report.VerdictFINUnacked, "The peer has all data and never acknowledges the DATA_FIN, so the connection does not close.",
		fmt.Sprintf("all data below the DATA_FIN is DATA_ACKed and the DATA_FIN is not. The capture goes on for %s, or the host repeated the DATA_FIN %d times after a timeout. The connection is open, or was reset after that. No fallback, no gap of the capture", span(report.AnswerTime), finTimeouts),
		"Severity: warning. cost_s is absent: no data waits for it.", "RFC 8684 Section 3.3.3",
	},
	{report.VerdictAborted, "A host aborted the connection.", "MP_FASTCLOSE that the receiver acts on", "Severity: note.", "RFC 8684 Section 3.5"},
	{report.VerdictReset, "Every subflow was reset.", "state reset", "Severity: warning.", "RFC 9293 Section 3.5.2"},
}
