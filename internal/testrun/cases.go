package testrun

import (
	"os"
	"testing"
)

// Variable is the name of an environment variable. If it is "all", tests try all their
// cases: every capture, every random session, and what needs LaTeX.
const Variable = "MPANALYZE_TESTS"

// All reports whether tests shall try all their cases.
func All() bool { return os.Getenv(Variable) == "all" }

// Cases returns how many of n similar cases a test tries: all if the environment asks for
// all, a sixteenth with -short, otherwise a quarter, and always at least one.
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

// Sample returns the part of a list that a test tries, as many as Cases says, evenly
// spread over the list, which must have an order of its own.
func Sample[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	out := make([]T, Cases(len(list)))
	for i := range out {
		out[i] = list[i*len(list)/len(out)]
	}
	return out
}
