// Package metrics turns the life of a connection into numbers. A unit derives one
// metric, or a few metrics that share state. Its file holds the rows that define its
// figures, the events that it wants, and the code that puts the figures, or the reasons
// for their absence, into the report. units.go lists the units; [Dir] passes events to
// their meters.
//
// The definitions are those of METRICS in [Table], with the papers and RFC sections that
// they come from.
package metrics
