// Package packets writes a line for each packet: where it belongs and what it
// did to its connection, for people who use grep and awk.
package packets
