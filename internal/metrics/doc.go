// Package metrics turns the life of a connection into numbers. A unit derives one
// metric, or a few of one state: its file has the rows that say what its figures mean,
// the events that it wants, and how the figures go into the report, or why they are
// absent. units.go lists the units; [Dir] tells their meters what happens.
//
// The definitions are those of METRICS in [Table], with the papers and RFC sections that
// they come from.
package metrics
