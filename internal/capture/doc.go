// Package capture opens the files of tcpdump and similar programs: pcap and pcapng, plain or
// compressed, one file, several files of one host, or a pipe. It yields raw packets in time
// order, each with its number, byte offset, time, wire length and link type. Damage is reported
// with its place and ends only the file that it is in.
//
// [Open] returns an error for a file that is no capture ([NotCaptureError]) or cannot be opened.
// After that, [Source.Next] yields all packets that can be read, and [Source.Damage] says where
// files stopped being readable.
//
// Reading allocates nothing per packet, and no length in a file decides how much memory is taken.
// A packet, or a block that is read, has at most 1 MiB. A decompressor takes at most the window
// of the strongest usual preset. Packets of a pcapng file that wait until earlier packets are
// read take at most 16 MiB, or twice that with the memory that is kept for reuse.
package capture
