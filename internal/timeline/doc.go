// Package timeline keeps for figures what happens in connections over time. It is a row
// sink that thins the points while it gathers them, so that memory is bounded and no
// extreme value is lost.
package timeline
