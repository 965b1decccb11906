//go:build race

package engine_test

// scale divides the work of the long tests. Race detection slows them down by a factor of
// 20 or more; it checks how goroutines interact, which needs less work.
const scale = 10
