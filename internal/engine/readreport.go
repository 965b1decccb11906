package engine

import "mpanalyze/internal/report"

// ReadReport reads a report that analyze --json wrote. It returns an error if the
// report or its capture is damaged.
func ReadReport(file string) (*report.Document, error) { return readReport(file) }
