// Package tracegen builds captures whose correct analysis is known by construction, for the
// tests of all other packages. It has three layers. [Packet] and [Writer] put single
// segments into a capture file. [Session] plays a scripted Multipath TCP session and
// decides which view sees which packet when. The generator under cmd uses both to write
// captures of any size.
//
// Package mptcp appends the MPTCP options, so that only one place knows the wire format.
// Everything else is written here by hand, independent of the libraries with which the
// product reads.
package tracegen
