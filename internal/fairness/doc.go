// Package fairness compares Multipath TCP with plain TCP on the same paths: how much each took
// while both were active. It follows all connections of a capture and keeps the bytes of each
// connection by path and cell of time.
package fairness
