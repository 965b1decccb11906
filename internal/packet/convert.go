package packet

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/netip"
)

// Convert is a message of the 0-RTT TCP Convert Protocol (RFC 8803, Section 4). With it a client asks a converter on the way
// for a connection to a server. It stands before the application's data in SYN and SYN/ACK, and is not of the application.
type Convert struct {
	Len  uint32 // of the message, bytes
	TLVs []ConvertTLV
}

// ConvertTLV is one part of such a message.
type ConvertTLV struct {
	Type  uint8
	Value []byte // the captured part
}

// The types of TLV that have a form (RFC 8803, Section 4.2).
const (
	convertConnect = 10
	convertError   = 30
)

// The names of the types and of the codes of an Error TLV (RFC 8803, Sections 4.2.1 and 4.2.8).
var (
	convertTypes = map[uint8]string{
		1: "Info", convertConnect: "Connect", 20: "Extended TCP Header", 21: "Supported TCP Extensions", 22: "Cookie", convertError: "Error",
	}
	convertErrors = map[uint8]string{
		0: "unsupported version", 1: "malformed message", 2: "unsupported message", 3: "missing cookie", 32: "not authorized",
		33: "unsupported TCP option", 64: "resource exceeded", 65: "network failure", 96: "connection reset", 97: "destination unreachable",
	}
)

// Lengths of RFC 8803, bytes; messages and TLVs count theirs in words of four.
const (
	convertHeader  = 4
	convertTLV     = 2
	convertWord    = 4
	connectAddress = 2 + 16 // port and address of a Connect TLV
)

// ParseConvert reads the message at the start of payload, as far as it was captured. The result keeps payload. ok is false
// where there is none: TLVs do not fill it, or its version is not 1 (RFC 8803, Section 4.1).
func ParseConvert(payload []byte) (m Convert, ok bool) {
	if len(payload) < convertHeader || payload[0] != 1 || binary.BigEndian.Uint16(payload[2:]) != 0x2263 {
		return m, false
	}
	m.Len = uint32(payload[1]) * convertWord
	at := convertHeader
	for at+convertTLV <= min(len(payload), int(m.Len)) {
		n := int(payload[at+1]) * convertWord
		if n == 0 || at+n > int(m.Len) {
			return m, false
		}
		m.TLVs = append(m.TLVs, ConvertTLV{payload[at], payload[at+convertTLV : min(at+n, len(payload))]})
		at += n
	}
	return m, m.Len >= convertHeader && (at == int(m.Len) || at >= len(payload))
}

// Peer returns the server to which the client asks the converter to connect; ok is false where the message names none.
func (m *Convert) Peer() (peer netip.AddrPort, ok bool) {
	for i := range m.TLVs {
		if v := m.TLVs[i].Value; m.TLVs[i].Type == convertConnect && len(v) >= connectAddress {
			addr := netip.AddrFrom16([16]byte(v[2:connectAddress])).Unmap()
			return netip.AddrPortFrom(addr, binary.BigEndian.Uint16(v)), true
		}
	}
	return peer, false
}

// Failure returns why the converter did not connect, in words; empty where the message has no Error TLV.
func (m *Convert) Failure() string {
	for i := range m.TLVs {
		if v := m.TLVs[i].Value; m.TLVs[i].Type == convertError && len(v) > 0 {
			if name, known := convertErrors[v[0]]; known {
				return name
			}
			return fmt.Sprintf("error %d", v[0])
		}
	}
	return ""
}

// Name returns the name of the TLV's type.
func (t *ConvertTLV) Name() string {
	if name, known := convertTypes[t.Type]; known {
		return name
	}
	return fmt.Sprintf("TLV %d", t.Type)
}

// Text returns the value for people: address and port of a server, an error, else hexadecimal.
func (t *ConvertTLV) Text() string {
	m := Convert{TLVs: []ConvertTLV{*t}}
	if peer, ok := m.Peer(); ok {
		return peer.String()
	}
	if why := m.Failure(); why != "" {
		return why
	}
	return hex.EncodeToString(t.Value)
}
