// Package pair makes one of two captures of the same sessions, taken at either
// host: it finds which TCP connection in one is which in the other, through
// address translation too, and which sent packet is which arrival. From that
// follow one-way delays, exact loss, duplication and reordering of the network,
// what middleboxes changed, and how far apart the two clocks are (METRICS.md,
// section 7). It observes two connection tables (package conn) that the caller
// feeds in the order of time, as well as the clocks let it.
package pair
