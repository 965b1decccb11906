// Package extract copies captures into one pcapng file: all packets, or those of some connections or of
// one subflow, with or without comments that say what the analysis knows of each. The dissector in
// packaging/wireshark makes fields of the comments.
package extract
