// Package rows makes the rows of tables while an analysis runs: series, chunks,
// mappings and events. It makes them from what package conn tells its observers.
package rows
