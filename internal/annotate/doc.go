// Package annotate copies captures into one pcapng file, in which each packet has a comment with
// what the analysis knows of it. The dissector in packaging/wireshark makes fields of the comments.
package annotate
