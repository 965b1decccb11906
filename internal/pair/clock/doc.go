// Package clock estimates how the clocks of two captures of the same sessions
// differ: how far one is ahead, how fast it drifts, and whether it was set
// while the captures ran. It knows no packets and no connections: its caller
// gives it the delays of matched packets and the TCP timestamps that the hosts
// write. It also removes these differences from distributions of one-way
// delays.
//
// A delay is the time of arrival by the clock of one capture less the time of
// sending by the clock of the other. So it contains the lead of the receiver's
// clock: it is too long by the lead where the sender's host sent the packet,
// and too short by the lead where the receiver's host did.
package clock
