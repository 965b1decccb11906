// Package extract copies the packets of one connection, or of one of its subflows, into a new
// capture. It adds comments to remarkable packets.
package extract
