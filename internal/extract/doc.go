// Package extract copies the packets of one connection, or of one subflow of
// it, into a capture of their own, with comments on what is remarkable.
package extract
