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

// Few returns the whole list, but with -short only an eighth of it, at least two elements,
// evenly spread from the first one on. It is for tests that are cheap except under the race
// detector.
func Few[T any](list []T) []T {
	n := max(2, len(list)/8)
	if !testing.Short() || n >= len(list) {
		return list
	}
	out := make([]T, n)
	for i := range out {
		out[i] = list[i*len(list)/n]
	}
	return out
}

// Sample returns the part of a list that a test tries, as many as Cases says, evenly
// spread over the list, which must have an order of its own.
func Sample[T any](list []T) []T { return SampleFrom(list, 0) }

// SampleFrom is Sample with a number that decides which part it is.
func SampleFrom[T any](list []T, which uint64) []T {
	if len(list) == 0 {
		return nil
	}
	out := make([]T, Cases(len(list)))
	first := int(which % uint64(len(list)))
	for i := range out {
		out[i] = list[(first+i*len(list)/len(out))%len(list)]
	}
	return out
}
