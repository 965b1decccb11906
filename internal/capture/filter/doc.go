// Package filter selects packets by an expression in tcpdump's syntax.
//
// An expression is compiled by libpcap for each link type that occurs. A build
// without cgo, or with the tag nopcap, has no compiler: it takes only programs
// that tcpdump has compiled, the numeric text of "tcpdump -ddd", which every
// build runs in pure Go.
package filter
