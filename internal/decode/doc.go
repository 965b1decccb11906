// Package decode turns a raw captured packet into a [packet.Segment]. It walks through
// link layer, tags and labels, IP with its options and extension headers, reassembles
// IP fragments, opens tunnels if asked to, and hands the TCP segment to package packet.
// It knows no sessions. It stores only fragments of unfinished datagrams and, in captures on
// several interfaces, a digest of the latest packets, so that a packet that was seen twice
// counts once.
//
// It uses the layers of gopacket and decodes into values that are made once. Its own code reads
// the headers that nearly every packet has (see fastframe.go), and the few headers
// for which gopacket allocates on each packet or refuses a packet that the snapshot length cut.
package decode
