package testrun

import (
	"os"
	"testing"
)

// Variable in the environment, set to "all", has tests try all cases that they
// have: every capture, every random session, and what needs LaTeX.
const Variable = "MPANALYZE_TESTS"

// All reports whether tests are to try all cases.
func All() bool { return os.Getenv(Variable) == "all" }

// Cases returns how many of n cases that are much alike a test tries: all if
// they are asked for, with -short a sixteenth, else a quarter, but at least one.
func Cases(n int) int {
	switch {
	case All():
		return max(1, n)
	case testing.Short():
		return max(1, n/16)
	default:
		return max(1, n/4)
	}
}
