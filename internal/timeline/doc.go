// Package timeline keeps what happens in connections over time for figures: a
// row sink that thins while it gathers, so that memory is bounded and no
// extreme is lost.
package timeline
