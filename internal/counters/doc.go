// Package counters counts what Linux counts of Multipath TCP (nstat, MPTcpExt) as far as
// a capture can show it, reads what nstat wrote, and holds the two against each other.
package counters
