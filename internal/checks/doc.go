// Package checks has the results of checks in the forms that continuous integration reads: JUnit
// XML, KTAP, a Markdown summary, and annotations of GitHub Actions.
package checks
