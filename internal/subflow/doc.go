// Package subflow follows one TCP connection in both directions: stream positions,
// outstanding data, retransmissions and reordering, selective acknowledgments,
// round-trip samples and their smoothing, and losses as the sender itself can tell
// them. It knows nothing of data sequence numbers: a subflow of an MPTCP connection and
// a plain TCP connection are the same to it.
package subflow
