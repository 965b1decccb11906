// Package report defines the result of an analysis: Go types whose JSON form is the
// public report ("mpanalyze/1"), the JSON Schema of that form, and the rows of tables.
//
// Conventions of the document. Times inside a connection are seconds since its start,
// other durations milliseconds, rates Mbit/s (10^6 bit/s) of TCP payload, sizes bytes.
// A metric that the captures cannot support is null, and its name stands with the
// reason in the "unavailable" object beside it: never zero, never a guess. A part of a
// metric that is null is listed by its path: names joined by dots, with "[]" after the
// name of a list.
package report
