// Package conn is the connection table. It finds the subflow of each segment. It finds
// the connection of each subflow by its token, or by its data sequence numbers where
// these prove it. It follows the handshakes, the addresses, the fallbacks and the ends
// of Multipath TCP (RFC 6824, RFC 8684). It drives packages subflow and dss, and tells
// observers what happened.
package conn
