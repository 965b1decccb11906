// Package connlines writes the connections of a report for programs: a line of JSON for each, or
// rows of CSV, with what each path carried and lost. It reads one connection of the report at a
// time.
package connlines
