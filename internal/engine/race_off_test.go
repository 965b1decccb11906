//go:build !race

package engine_test

// scale divides the work of the long tests.
const scale = 1
