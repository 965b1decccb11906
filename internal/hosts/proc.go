package hosts

import (
	"bytes"
	"net/netip"
)

// procReader reads /proc/net/mptcp_net/mptcp of the kernel outside the tree, version 0.
func procReader(f *File, v Visitor) partReader {
	var r Row
	return partReader{func(l *lines) {
		r.reset()
		if procRow(l.text, &r) {
			r.Ref, r.Stamp = Ref{f, l.n}, NoStamp
			f.Rows, f.Samples = f.Rows+1, 1
			v.Row(&r)
		}
	}, func() { f.settle("") }}
}

// procRow reads "0: 96B4DEB 5F3AD7E3 0 0101020A:1389 0202020A:C001 01 02 00000000:00000000 4711".
func procRow(line []byte, r *Row) bool {
	words := bytes.Fields(line)
	if len(words) < 10 {
		return false
	}
	local, ok := hexadecimal(bytes.ToLower(words[1]))
	remote, ok2 := hexadecimal(bytes.ToLower(words[2]))
	var ends [2]bool
	r.Local, ends[0] = procEnd(words[4])
	r.Peer, ends[1] = procEnd(words[5])
	if !ok || !ok2 || ends != [2]bool{true, true} {
		return false
	}
	r.MPTCP, r.State = true, "ESTAB"
	r.LocalToken, r.RemoteToken, r.HasToken = uint32(local), uint32(remote), local != 1<<32-1
	tx, rx, _ := bytes.Cut(words[8], []byte(":"))
	send, _ := hexadecimal(bytes.ToLower(tx))
	recv, _ := hexadecimal(bytes.ToLower(rx))
	r.SendQ, r.RecvQ = int64(send), int64(recv)
	r.Inode, _ = number(words[9])
	return true
}

// procEnd reads an end as /proc prints it: 0101020A:1389, IPv4 in the byte order of a little
// host.
func procEnd(text []byte) (netip.AddrPort, bool) {
	host, port, found := bytes.Cut(text, []byte(":"))
	p, ok := hexadecimal(bytes.ToLower(port))
	if !found || !ok || p > 65535 || len(host) != 8 && len(host) != 32 {
		return netip.AddrPort{}, false
	}
	var raw [16]byte
	for word := 0; word*8 < len(host); word++ {
		v, ok := hexadecimal(bytes.ToLower(host[word*8 : word*8+8]))
		if !ok {
			return netip.AddrPort{}, false
		}
		for i := range 4 {
			raw[word*4+i] = byte(v >> (8 * i))
		}
	}
	if len(host) == 8 {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte(raw[:4])), uint16(p)), true
	}
	return netip.AddrPortFrom(netip.AddrFrom16(raw).Unmap(), uint16(p)), true
}
