package report

// Fairness compares Multipath TCP with plain TCP on the same paths at the same time, by
// the goals of coupled congestion control (RFC 6356, Section 2). Rates are those of
// payload at the capture point, copies included.
type Fairness struct {
	// Paths that both used at the same time, one entry for each way.
	Paths List[FairPath] `json:"paths"`
	// Connections of Multipath TCP that had plain TCP beside them on a path, one entry for each way.
	Connections List[FairConnection] `json:"connections"`
	// Connections that were left out because too many were open at once, or carried more.
	Omitted int64 `json:"omitted_connections"`
}

// FairPath is how the flows shared one way of a path while Multipath TCP and plain TCP
// were both active there: each between its first and its last data, in whole cells.
type FairPath struct {
	// Label of the path.
	Path string `json:"path"`
	// Which way the data went, by the sides of the Multipath TCP connections.
	Direction Direction `json:"direction"`
	// Beginning of the first cell in which both were active, RFC 3339.
	From Time `json:"from"`
	// End of the last such cell, RFC 3339.
	To Time `json:"to"`
	// All such cells, seconds.
	BothActive float64 `json:"both_active_s"`
	// Length of a cell, ms.
	Cell float64 `json:"cell_ms"`
	// Who was active then; the subflows of a connection on the path are one flow.
	Flows List[FairFlow] `json:"flows"`
	// Bytes of Multipath TCP / all bytes, percent.
	MPTCPShare float64 `json:"mptcp_share_percent"`
	// Flows of Multipath TCP / all flows, percent: the share if all were equal.
	EqualShare float64 `json:"equal_share_percent"`
	// Jain's index of the flows' rates: 1 where they are equal, 1 / number of flows where one has everything.
	Jain float64 `json:"jain_index"`
	// Mean rate of a plain TCP connection, Mbit/s.
	TCP float64 `json:"tcp_mbps"`
	// Retransmitted / all payload bytes of the flows from beginning to end, percent: how congested the path was; null unless all were captured at their senders.
	Retransmitted *float64 `json:"retransmitted_percent" null:"none"`
}

// FairFlow is a flow on a path in the time in which both kinds were active.
type FairFlow struct {
	// Id of the Multipath TCP connection; null for plain TCP.
	Connection *int `json:"connection" null:"none"`
	// End that sends, of the first subflow on the path.
	Sender Endpoint `json:"sender"`
	// End that receives.
	Receiver Endpoint `json:"receiver"`
	// Payload bytes, copies included.
	Bytes int64 `json:"bytes"`
	// These bytes over the time in which the flow was active, Mbit/s.
	Rate float64 `json:"mbps"`
	// These bytes / those of all flows, percent.
	Share float64 `json:"share_percent"`
}

// FairConnection is one way of a Multipath TCP connection against plain TCP on its paths.
type FairConnection struct {
	// Id of the connection.
	Connection int `json:"connection"`
	// Which way the data went.
	Direction Direction `json:"direction"`
	// The path, of those with plain TCP beside the connection, on which that had the largest mean rate.
	BestPath string `json:"best_path"`
	// Beginning of the first cell in which the connection and plain TCP were active on it, RFC 3339.
	From Time `json:"from"`
	// End of the last such cell, RFC 3339.
	To Time `json:"to"`
	// All such cells, seconds.
	BothActive float64 `json:"both_active_s"`
	// Rate of the connection on all its paths in that time, Mbit/s.
	Rate float64 `json:"mbps"`
	// Mean rate of a plain TCP connection on the best path in that time, Mbit/s.
	BestTCP float64 `json:"best_tcp_mbps"`
	// The first of these rates / the second. Goal 1, improve throughput, asks for 1 or more; where the paths share a bottleneck, goal 2, do no harm, for 1 or less.
	Ratio float64 `json:"ratio_to_best_tcp"`
	// Whether that is more than 1: the connection takes more than a single TCP connection on its best path.
	TakesMore bool `json:"takes_more_than_tcp"`
	// Largest rate of the connection on a path / mean rate of plain TCP there. Goal 2, do no harm, asks for 1 or less.
	MostOnAPath float64 `json:"most_to_tcp_on_a_path"`
	// Its path with the least retransmitted_percent; null where paths have none, or the same.
	LeastCongested *string `json:"least_congested_path" null:"none"`
	// The part of the connection's bytes on that path, percent. Goal 3, balance congestion, asks for much of it there; null where least_congested_path is.
	LeastCongestedShare *float64 `json:"least_congested_share_percent" null:"none"`
}
