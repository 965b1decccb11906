// Package tracegen builds captures whose answers are known by construction,
// for the tests of every other package. It has three layers: [Packet] and
// [Writer] put single segments into a capture file, [Session] plays a scripted
// Multipath TCP session and says who sees which packet when, and the
// generator under cmd writes captures of any size with them.
//
// MPTCP options are appended by package mptcp, so that there is one text of
// the wire format; everything else is written here by hand, apart from the
// libraries that the product reads with.
package tracegen
