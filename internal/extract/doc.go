// Package extract copies the packets of some connections, or of one subflow, into a new capture. It adds comments to remarkable packets.
package extract
