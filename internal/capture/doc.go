// Package capture opens what tcpdump and its relatives write - pcap, pcapng,
// plain or compressed, a file, several files of one host or a pipe - and
// yields raw packets in time order, each with its number, byte offset, time,
// wire length and link type. Damage is reported with its place and ends only
// the file that it is in.
package capture
