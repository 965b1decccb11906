// Package page writes a report as one HTML page that needs nothing besides
// itself: tables, verdicts and linked charts of every connection.
package page
