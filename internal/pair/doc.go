// Package pair matches the packets of two captures of the same sessions, one
// taken at each host. It finds which TCP connection of one capture is which in the
// other, through address translation too, and which sent packet is which
// arrival. From that follow one-way delays, exact loss, duplication and reordering
// by the network, and what middleboxes changed (METRICS.md, section 7). What the
// delays tell of the clocks it hands to package clock.
//
// It observes two connection tables (package conn) that the caller feeds in the
// order of time, as well as the clocks let it.
package pair
