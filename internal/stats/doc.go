// Package stats is the mathematics of the reports: distributions of streams of any
// length in bounded memory, and what a few runs of an experiment tell about the next
// one. It knows nothing of packets.
package stats
