// Package remedy says what to do about each verdict: the texts that do not depend on one
// connection. Verdicts, explain and the page take them from here; diagnose adds the
// numbers that a capture shows.
package remedy
