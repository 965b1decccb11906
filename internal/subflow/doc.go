// Package subflow follows one TCP connection in both directions: stream positions,
// outstanding data, retransmissions and reordering, selective acknowledgments,
// round-trip samples and their smoothing, and losses as far as the sender itself can
// see them. It does not use data sequence numbers: it treats a subflow of an MPTCP
// connection like a plain TCP connection.
package subflow
