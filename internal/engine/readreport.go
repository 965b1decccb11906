package engine

import "mpanalyze/internal/report"

// ReadReport reads what analyze --json wrote. A report that is damaged, or whose capture
// was, is an error.
func ReadReport(file string) (*report.Document, error) { return readReport(file) }
