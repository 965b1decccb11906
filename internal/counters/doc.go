// Package counters counts what Linux counts for Multipath TCP (nstat, MPTcpExt), as far as a
// capture can show it. It also reads the output of nstat and compares both.
package counters
