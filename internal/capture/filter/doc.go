// Package filter selects packets by an expression in tcpdump's syntax.
//
// An expression is compiled for each link type that occurs: by libpcap, or, in a build without
// cgo or with the tag nopcap, by "tcpdump -ddd". Every build also takes the numeric text that
// "tcpdump -ddd" prints. Programs of tcpdump run in pure Go.
package filter
