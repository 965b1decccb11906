// Package engine runs an analysis from files to report: it wires reader,
// decoder, trackers and row writers together, and holds all concurrency.
package engine
