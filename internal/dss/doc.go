// Package dss rebuilds the data sequence spaces of a Multipath TCP connection:
// the mappings that DSS options announce (RFC 8684, Section 3.3), the chunks
// of data that travel under them, what is a first transmission and what a
// reinjection, the DATA_ACKs and the DATA_FIN, and whether checksums hold.
//
// A [Space] is one direction of a connection; a [SubflowSpace] is that direction of
// one of its subflows.
package dss
