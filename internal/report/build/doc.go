// Package build makes the report: the document of package report out of what
// packages metrics and pair measured, and the rows of the tables out of the events
// of package conn.
package build
