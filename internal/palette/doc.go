// Package palette decides which colour a path or a scenario has, so that it has the same one
// in every figure and on every page.
package palette
