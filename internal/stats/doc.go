// Package stats is the mathematics of the reports: distributions of unbounded
// streams in bounded memory. It knows nothing of packets.
package stats
