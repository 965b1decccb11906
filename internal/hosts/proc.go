package hosts

import (
	"encoding/hex"
	"net/netip"
	"slices"
	"strconv"
)

// procRow finds the token of this host, both ends, the queues and the inode in
// "0: 96B4DEB 5F3AD7E3 0 0101020A:1389 0202020A:C001 01 02 00000000:00000000 4711".
var procRow = pattern(`^\s*\S+` + procNumber + `\s+\S+\s+\S+` + procPair + procPair + `\s+\S+\s+\S+` + procPair + `\s+(\d+)`)

const procNumber, procPair = `\s+([\dA-Fa-f]{1,16})`, `\s+([\dA-Fa-f]+):([\dA-Fa-f]{1,16})`

// procReader reads /proc/net/mptcp_net/mptcp of the kernel outside the tree, version 0.
func (h *Host) procReader(f *File) func(*lines) bool {
	return func(l *lines) bool {
		m := procRow().FindStringSubmatch(string(l.text))
		if m == nil {
			return false
		}
		var n [9]uint64
		for i := range m {
			n[i], _ = strconv.ParseUint(m[i], 16, 64)
		}
		r := Row{Ref: Ref{f, l.n}, Stamp: NoStamp, MPTCP: true, State: "ESTAB", LocalID: -1, RemoteID: -1}
		r.LocalToken, r.HasToken = uint32(n[1]), n[1] != 1<<32-1
		r.Local, r.Peer = procEnd(m[2], n[3]), procEnd(m[4], n[5])
		r.set(SendQ, float64(n[6]))
		r.set(RecvQ, float64(n[7]))
		r.Inode, _ = number([]byte(m[8]))
		if !r.Local.IsValid() || !r.Peer.IsValid() {
			return false
		}
		f.Samples = 1
		h.take(&r)
		return true
	}
}

// procEnd reads an end as /proc prints it: 0101020A:1389, IPv4 in the byte order of a little
// host.
func procEnd(address string, port uint64) netip.AddrPort {
	raw, _ := hex.DecodeString(address)
	for word := range slices.Chunk(raw, 4) {
		slices.Reverse(word)
	}
	a, ok := netip.AddrFromSlice(raw)
	if !ok || port > 65535 {
		return netip.AddrPort{}
	}
	return netip.AddrPortFrom(a.Unmap(), uint16(port))
}
