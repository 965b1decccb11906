// Package plaintext writes a report for people and for text tools: a summary, the verdicts,
// a list with a line per connection, and what metrics mean. It computes nothing that the
// report does not hold.
package plaintext
