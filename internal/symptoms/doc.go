// Package symptoms keeps, for each connection, what explains its figures: the packets
// of the handshakes, how the hosts use MPTCP options, the addresses that they announce,
// the times in which the receive window, the application or another path delayed data,
// and the paths that died. Package diagnose makes verdicts from it. The caller provides
// the place of the capture, the room in the receive window, the smoothed round-trip times
// and the priorities of subflows.
package symptoms
