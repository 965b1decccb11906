// Package decode turns a raw captured packet into a [packet.Segment]: it walks
// the link layer, tags and labels, IP and its options and extension headers,
// reassembles IP fragments, opens tunnels where it is asked to, and hands the
// TCP segment that it finds to the packet package. It knows no session; the
// only packets it remembers are the fragments of unfinished datagrams and,
// for captures on several interfaces, a digest of what it saw last, so that
// one packet seen twice counts once.
//
// The layers are gopacket's, decoded into values that are made once. Read by
// hand are the shapes that nearly every packet has (see usual.go, direct.go) and
// the few headers for which gopacket allocates on each packet or refuses a
// packet that the snapshot length cut.
package decode
