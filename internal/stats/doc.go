// Package stats is the mathematics of the reports: distributions of unbounded
// streams in bounded memory, and what a few runs of an experiment allow to say
// about the next one. It knows nothing of packets.
package stats
