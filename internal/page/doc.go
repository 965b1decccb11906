// Package page writes a report, or a comparison of scenarios, as one HTML page with tables,
// verdicts and charts. The page needs no other file.
package page
