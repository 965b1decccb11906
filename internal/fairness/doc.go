// Package fairness holds Multipath TCP against plain TCP on the same paths: what
// each took while both were active. It follows all connections of a capture and
// keeps, of each, the bytes by path and cell of time.
package fairness
