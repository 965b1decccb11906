package report

import "slices"

// Verdict is one reason why a connection does not aggregate its paths, or got
// slow, with what proves it.
type Verdict struct {
	// Stable name of the reason, for programs.
	Code VerdictCode `json:"code"`
	// How much it matters.
	Severity Severity `json:"severity"`
	// Percent of the time, or of the data, of its direction that it costs or concerns; null where there is no such number.
	Cost *float64 `json:"cost_percent" null:"none"`
	// Percent of the time of its direction that went to the states of time_account at the sender which the verdict explains, on its
	// subflow if it has one: of two verdicts of one severity the larger comes first, cost_percent where this is null. Null where there is no account
	// at the sender, or no state of it belongs to the verdict.
	TimePercent *float64 `json:"time_percent" null:"none"`
	// Time that removing its cause would have saved, seconds: an estimate from the account of the time. Costs of one direction never overlap;
	// null where it is not known, or where it takes no time of the direction.
	CostS *float64 `json:"cost_s" null:"none"`
	// Why cost_s is null, where the verdict takes time of its direction; else empty.
	CostUnknown string `json:"cost_unknown"`
	// Bytes that it concerns: lost, sent twice, not captured, or carried without a second path; null where no such number is known.
	CostBytes *int64 `json:"cost_bytes" null:"none"`
	// The same for people, in a few plain words.
	Headline string `json:"headline"`
	// The same for people: what happened, and where one capture cannot tell, the possibilities that remain.
	Text string `json:"text"`
	// Which of the sentences of its code it has; empty for the ordinary one.
	Form string `json:"form"`
	// The words and the numbers of the sentence that evidence does not have.
	Parameters List[Parameter] `json:"parameters"`
	// Way of the data that it concerns; null where it concerns both, or the connection itself.
	Direction *Direction `json:"direction" null:"none"`
	// Id of the subflow that it concerns; null where it concerns none, or several.
	Subflow *int `json:"subflow" null:"none"`
	// Path of this subflow: the addresses of both hosts; null where it concerns no subflow, or several.
	Path *string `json:"path" null:"none"`
	// Whether the evidence proves what the verdict says, or only makes it likely.
	Certainty Certainty `json:"certainty"`
	// Cause, where a code has several; null where the code itself is the cause.
	Cause *Cause `json:"cause" null:"none"`
	// The causes that the evidence leaves; empty where it names one, and where the code itself is the cause.
	Alternatives List[Cause] `json:"alternatives"`
	// What to do about it, and by how much where the capture tells that; commands and settings are those of Linux. A report of an
	// older version has none.
	Remedy string `json:"remedy"`
	// The packets and the numbers that prove it.
	Evidence List[Proof] `json:"evidence"`
	// The lines of records of the hosts that prove the cause (--evidence).
	Kernel List[KernelLine] `json:"kernel"`
}

// KernelLine is a line in the records of a host.
type KernelLine struct {
	// The host.
	Host Side `json:"host"`
	// The file, as it was given.
	File string `json:"file"`
	// Number of the line, from 1.
	Line int64 `json:"line"`
	// Time of the line, seconds since the connection's start; null where it has none.
	TS *float64 `json:"t_s" null:"none"`
	// What the line says, by the name that the kernel gives it.
	Field string `json:"field"`
	// Its value; null where it is no number.
	Value *float64 `json:"value" null:"none"`
	// Unit of the value; null where it is no number.
	Unit *string `json:"unit" null:"none"`
	// The same for people.
	Text string `json:"text"`
}

// Weight returns the percentage by which verdicts of one severity are ordered: time_percent, or
// else cost_percent; nil without both.
func (v *Verdict) Weight() *float64 {
	if v.TimePercent != nil {
		return v.TimePercent
	}
	return v.Cost
}

// Certainty is how sure a verdict is.
type Certainty string

// The certainties: the packets prove it; it is the most likely explanation of the packets.
const (
	Certain Certainty = "certain"
	Likely  Certainty = "likely"
)

// Cause is the cause of what a verdict says.
type Cause struct {
	// The cause.
	Code CauseCode `json:"code"`
	// Host in which it lies; null where it lies in the network, or is not known.
	Host *Side `json:"host" null:"none"`
}

// CauseCode names a cause. Further codes may be added.
type CauseCode string

// The causes of losses.
const (
	CauseQueue    CauseCode = "queue"     // a queue overflows: losses come with long round trips
	CauseRandom   CauseCode = "random"    // losses come whatever the queue holds: radio, duplex, cable
	CausePolicer  CauseCode = "policer"   // a limit on the rate drops without a queue
	CauseLinkDown CauseCode = "link_down" // the link carried nothing for a time
	CauseUnknown  CauseCode = "unknown"   // the evidence does not exclude the others
)

// The causes that records of the hosts prove.
const (
	CauseApplication     CauseCode = "application"      // it sends, or reads, too slowly
	CauseSendBuffer      CauseCode = "send_buffer"      // the send buffer is full
	CauseCwnd            CauseCode = "cwnd"             // the congestion window
	CauseCwndClamp       CauseCode = "cwnd_clamp"       // a limit on the congestion window
	CausePacing          CauseCode = "pacing"           // the rate at which the kernel paces
	CauseReceiveBuffer   CauseCode = "receive_buffer"   // the receive buffer is small
	CauseMemory          CauseCode = "memory"           // the receiver threw away what arrived
	CauseInterface       CauseCode = "interface"        // the device dropped packets
	CauseFirewall        CauseCode = "firewall"         // a rule dropped packets
	CauseNetwork         CauseCode = "network"          // none of the hosts
	CauseNoEndpoint      CauseCode = "no_endpoint"      // the host has no endpoint for a further subflow
	CauseEndpointFlag    CauseCode = "endpoint_flag"    // its endpoint has not the flag subflow
	CauseSubflowLimit    CauseCode = "subflow_limit"    // the host allows no further subflow
	CauseAddAddrLimit    CauseCode = "add_addr_limit"   // the host joins no announced address
	CauseNoRoute         CauseCode = "no_route"         // the host has no route from the endpoint
	CauseNoListener      CauseCode = "no_listener"      // no socket listens
	CauseTokenUnknown    CauseCode = "token_unknown"    // the host does not know the token
	CauseInterfaceDown   CauseCode = "interface_down"   // the device is down
	CauseEndpointDeleted CauseCode = "endpoint_deleted" // the endpoint was removed
	CauseKilled          CauseCode = "killed"           // the socket was closed from outside
	CausePlainSocket     CauseCode = "plain_socket"     // the server's socket is plain TCP
	CauseMPTCPDisabled   CauseCode = "mptcp_disabled"   // a setting
	CauseOptionRemoved   CauseCode = "option_removed"   // a middlebox
	CauseCaptureDropped  CauseCode = "capture_dropped"  // the capture lost packets
)

// Parameter is a word or a number of the sentence of a verdict. Several may have one name.
type Parameter struct {
	// Its name.
	Name string `json:"name"`
	// The word; empty where it has none.
	Text string `json:"text"`
	// The number; null where it has none.
	Value *float64 `json:"value" null:"none"`
	// Unit of the number, as in evidence; empty where it has none.
	Unit string `json:"unit"`
	// Id of the subflow that it is about; null where it is about none, or about that of the verdict.
	Subflow *int `json:"subflow" null:"none"`
}

// Proof is a packet or a number that proves a verdict.
type Proof struct {
	// What it is.
	What string `json:"what"`
	// Name of the number in the sentence; empty where the sentence does not have it.
	Name string `json:"name"`
	// Number of the packet in the analysis, from 1, over all files of one host; null where it is a number.
	Packet *int64 `json:"packet" null:"none"`
	// Time of the packet, seconds since the connection's start; null where it is a number.
	TS *float64 `json:"t_s" null:"none"`
	// Id of the subflow; null where it concerns none, or all.
	Subflow *int `json:"subflow" null:"none"`
	// The number; null where it is a packet.
	Value *float64 `json:"value" null:"none"`
	// Unit of the number: "ms", "bytes", "percent", "segments", "count", "Mbit/s" or "ratio"; null where it is a packet.
	Unit *string `json:"unit" null:"none"`
}

// Severity is how much a verdict matters.
type Severity string

// The severities, the most severe first: Multipath TCP, or a path, does not work;
// something costs throughput or delay; worth knowing; nothing is wrong.
const (
	Critical Severity = "critical"
	Major    Severity = "warning"
	Minor    Severity = "note"
	Fine     Severity = "ok"
)

// VerdictCode names a reason. Further codes may be added.
type VerdictCode string

// The reasons, by what they concern: the handshake, further subflows,
// fallback, the flow of data, and last what an ordinary connection gets.
const (
	VerdictNotGranted   VerdictCode = "mptcp_not_granted"      // asked for in the SYN, absent from the SYN/ACK
	VerdictPeerPlain    VerdictCode = "peer_plain"             // the same, seen at the host that answers: it does not speak Multipath TCP here
	VerdictVersion      VerdictCode = "version_mismatch"       // MP_CAPABLE of a version that the peer does not have
	VerdictFlags        VerdictCode = "capable_flags"          // MP_CAPABLE with flags for which the peer ignores it
	VerdictSYNDropped   VerdictCode = "syn_dropped"            // a SYN with MP_CAPABLE got no answer, one without did
	VerdictUnanswered   VerdictCode = "unanswered"             // no SYN got an answer
	VerdictRefused      VerdictCode = "refused"                // RST in answer to the SYN
	VerdictConverter    VerdictCode = "converter"              // the server is behind a converter that the SYN asked
	VerdictNotRequested VerdictCode = "mptcp_not_requested"    // the SYN does not ask for Multipath TCP
	VerdictCaptureGap   VerdictCode = "capture_gap"            // packets are missing from the capture, not from the network
	VerdictOneDirection VerdictCode = "one_direction_captured" // the capture lacks the packets of one end, which came
	VerdictLateStart    VerdictCode = "late_start"             // the capture begins behind the handshake
	VerdictTwice        VerdictCode = "packets_twice"          // the capture holds packets twice
	VerdictUncaptured   VerdictCode = "path_not_captured"      // data passed on a path that the capture does not show
	VerdictMalformed    VerdictCode = "malformed_options"      // MPTCP options without a legal form, which hosts ignore
	VerdictOptionsCut   VerdictCode = "options_cut"            // the snapshot length cut options off, so that nothing is known of them
	VerdictEndsEarly    VerdictCode = "capture_ends_early"     // the capture ends before it can be said that something did not happen

	VerdictJoinRefused       VerdictCode = "join_refused"            // RST in answer to an MP_JOIN
	VerdictJoinNotGranted    VerdictCode = "join_not_granted"        // SYN/ACK without MP_JOIN
	VerdictJoinStripped      VerdictCode = "join_stripped"           // the option was removed from the SYN of a join
	VerdictJoinUnanswered    VerdictCode = "join_unanswered"         // no answer to an MP_JOIN
	VerdictHandshake         VerdictCode = "handshake_incomplete"    // no answer to a SYN/ACK, or to the third packet of a join
	VerdictJoinAborted       VerdictCode = "join_aborted"            // reset before the subflow carried anything
	VerdictJoinSlow          VerdictCode = "join_slow"               // packets of the handshake were repeated
	VerdictSinglePath        VerdictCode = "single_path"             // no further subflow was attempted, or all run over one path
	VerdictJoinForbidden     VerdictCode = "join_forbidden"          // flag C of MP_CAPABLE
	VerdictAddAddrNotEchoed  VerdictCode = "add_addr_not_echoed"     // an announced address was never confirmed
	VerdictAddAddrNotJoined  VerdictCode = "add_addr_not_joined"     // an announced address was never used
	VerdictEndpointUnused    VerdictCode = "endpoint_unused"         // no subflow came from an endpoint that records have
	VerdictSetupSlow         VerdictCode = "setup_slow"              // packets of the initial handshake were repeated
	VerdictTooShort          VerdictCode = "too_short"               // nearly over before a second path was up
	VerdictPathRemoved       VerdictCode = "path_removed"            // REMOVE_ADDR
	VerdictBackup            VerdictCode = "backup"                  // a path is a backup, or was one
	VerdictPathUnused        VerdictCode = "path_unused"             // established and never given data
	VerdictPathIdle          VerdictCode = "path_idle"               // left idle while others carried data
	VerdictPathDied          VerdictCode = "path_died"               // silent or reset with data outstanding
	VerdictAllStopped        VerdictCode = "all_paths_stopped"       // all at once, with data outstanding
	VerdictBlackHole         VerdictCode = "mtu_black_hole"          // large segments never arrive, small ones do
	VerdictGone              VerdictCode = "path_gone"               // idle, and keep-alives get no answer any more
	VerdictRebinding         VerdictCode = "nat_rebinding"           // a translator gave a subflow a new port, which the peer does not know
	VerdictCopies            VerdictCode = "redundant_copies"        // much data was sent on several subflows
	VerdictHeavyLoss         VerdictCode = "heavy_loss"              // a path loses much
	VerdictUnequalPaths      VerdictCode = "unequal_paths"           // round trips or throughputs far apart
	VerdictHoLBlocked        VerdictCode = "hol_blocked"             // data waited for one path
	VerdictWindowClosed      VerdictCode = "receive_window"          // the receive window had no room for a segment
	VerdictShrunk            VerdictCode = "window_shrunk"           // the receiver took back window that it had offered
	VerdictApplication       VerdictCode = "application_limited"     // the application had nothing to send
	VerdictSenderLimited     VerdictCode = "sender_limited"          // the send buffer, or a limit on the congestion window
	VerdictLossLimited       VerdictCode = "loss_limited"            // losses hold the congestion window below what the path carries
	VerdictAcksWait          VerdictCode = "acks_wait"               // the ACKs of a path wait on their way back
	VerdictPathFull          VerdictCode = "path_full"               // the paths carried what they could
	VerdictSlowStart         VerdictCode = "slow_start"              // the congestion window had not grown yet
	VerdictRateFell          VerdictCode = "rate_fell"               // the network gave a path less than half of its rate for a time
	VerdictStalled           VerdictCode = "stalled"                 // data waited and no DATA_ACK came
	VerdictStrippedHandshake VerdictCode = "stripped_handshake"      // MP_CAPABLE both ways, and then no option
	VerdictStrippedData      VerdictCode = "stripped_data"           // options stop in the middle of the data
	VerdictChecksum          VerdictCode = "checksum_failed"         // payload was changed on the way
	VerdictInfinite          VerdictCode = "infinite_mapping"        // a host gave up Multipath TCP
	VerdictFallback          VerdictCode = "fallback"                // of another cause
	VerdictUnmapped          VerdictCode = "unmapped_data"           // payload that no mapping covers
	VerdictFINUnacked        VerdictCode = "data_fin_unacknowledged" // the peer has all data and never acknowledges the DATA_FIN
	VerdictAborted           VerdictCode = "aborted"                 // MP_FASTCLOSE
	VerdictReset             VerdictCode = "reset"                   // every subflow was reset
	VerdictAggregates        VerdictCode = "aggregates"              // several paths carried the data
)

var severities = []Severity{Critical, Major, Minor, Fine}

// Rank returns the place of a severity, 0 for the most severe; what is none comes last.
func (s Severity) Rank() int {
	if i := slices.Index(severities, s); i >= 0 {
		return i
	}
	return len(severities)
}

// Limits of verdicts that hold for one connection and for all connections over a path together.
const (
	LossMuch  = 3.0   // percent of segments: a path that loses that many loses much
	LossLeast = 10    // segments that must be lost
	LossCosts = 1.0   // percent of the segments of all paths: from here on it is a warning
	FewBytes  = 100e3 // data of a direction: less is too short to judge
	FewShare  = 1.0   // percent of the data of a direction: the figures of a subflow that carried less are not compared
	RTTRatio  = 3.0   // of round trips of paths, from which on they are unequal
	FewSent   = 70    // segments of a path over all connections: as many as hold that data
	// AnswerTime is how long an answer may take, ns. A SYN is sent again after a second and after three
	// (RFC 6298, Sections 2.1 and 5.5), and half a second is left for the answer to the last of them.
	AnswerTime = 3.5e9
)
