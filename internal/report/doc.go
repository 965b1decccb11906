// Package report is the document that an analysis ends in: Go types whose JSON
// form is the public report ("mpanalyze/1"), the JSON Schema of that form, and
// the rows that stream into tables beside it.
//
// Conventions of the document. Times inside a connection are seconds since its
// start, other durations milliseconds, rates Mbit/s (10^6 bit/s) of TCP
// payload, sizes bytes. A metric that the captures cannot support is null, and
// its name stands with the reason in the "unavailable" object beside it: never
// zero, never a guess. What is null within a metric stands there by its path:
// names joined by dots, with "[]" behind that of a list.
package report
