// Package conn is the connection table: it finds the subflow of each segment,
// the connection of each subflow - by token, else by what data sequence
// numbers prove - follows the handshakes, the addresses, the fallbacks and the
// ends of Multipath TCP (RFC 6824, RFC 8684), drives packages subflow and dss,
// and tells observers what happened.
package conn
