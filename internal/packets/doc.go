// Package packets writes a line for each packet: where it belongs, which MPTCP options
// it has and what it did to its connection. Lines are columns for grep and awk, or JSON
// for programs, as [Record] says.
package packets
