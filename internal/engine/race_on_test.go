//go:build race

package engine_test

// scale divides the work of the long tests. Race detection slows them down by
// a factor of 20 or more, and looks at how goroutines meet, for which less does.
const scale = 10
