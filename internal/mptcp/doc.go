// Package mptcp reads and writes TCP option 30: it has the parsers and builders of every
// subtype of Multipath TCP version 0 (RFC 6824) and version 1 (RFC 8684), and
// the keys, tokens, initial data sequence numbers and HMACs that follow from
// them. It holds no state of a session.
package mptcp
