// Package rows makes the rows that stream into tables while an analysis runs: of
// series, chunks, mappings and events, out of what package conn tells its observers.
package rows
