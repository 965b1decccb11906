// Package dss rebuilds the data sequence spaces of a Multipath TCP connection. It
// follows the mappings that DSS options announce (RFC 8684, Section 3.3), the chunks of
// data under these mappings, the DATA_ACKs and the DATA_FIN. It tells first
// transmissions from reinjections, and checks DSS checksums.
//
// A [Space] is one direction of a connection; a [SubflowSpace] is that direction of
// one of its subflows.
package dss
