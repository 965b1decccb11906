// Package page writes a report, or a comparison of scenarios, as one HTML page
// that needs nothing besides itself: tables, verdicts and charts.
package page
