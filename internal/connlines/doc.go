// Package connlines lists the connections of a report, a row for each: as columns separated by tabs, as
// CSV, or as lines of JSON. It reads one connection of the report at a time.
package connlines
