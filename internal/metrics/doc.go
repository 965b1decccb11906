// Package metrics computes the figures of a connection. A unit derives one metric, or a few
// metrics that share state. Its file holds the rows that define its figures, the events
// that it needs, and the code that puts the figures, or the reasons for their absence, into
// the report. units.go lists the units; [DataDir] passes events to their meters.
//
// [Table] has the definitions, with the papers and RFC sections that they come from.
package metrics
