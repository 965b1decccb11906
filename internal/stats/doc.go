// Package stats is the mathematics of the reports: distributions of streams of any
// length in bounded memory, and inference from a few runs of an experiment. It does not
// depend on packets.
package stats
