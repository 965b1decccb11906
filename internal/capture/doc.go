// Package capture opens what tcpdump and its relatives write - pcap, pcapng,
// plain or compressed, a file, several files of one host or a pipe - and
// yields raw packets in time order, each with its number, byte offset, time,
// wire length and link type. Damage is reported with its place and ends only
// the file that it is in.
//
// [Open] fails for what is no capture at all ([NotCaptureError]) or cannot be
// opened. From then on [Source.Next] yields whatever can be read, and
// [Source.Damage] says afterwards where files stopped being readable.
//
// Reading allocates nothing per packet, and no length in a file decides how
// much memory is taken: a packet or a block that is looked into has at most
// 1 MiB, a decompressor at most the window of the strongest usual preset.
// Packets of a pcapng file that wait for their turn take at most 16 MiB, twice
// that with the room kept for the next.
package capture
