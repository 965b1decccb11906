// Package packets writes a line for each packet: its connection and subflow, its MPTCP
// options, and its effect on the connection. Lines are columns for grep and awk, or JSON
// for programs; [Record] has the fields.
package packets
