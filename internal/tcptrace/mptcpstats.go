package tcptrace

import (
	"fmt"
	"slices"
	"strings"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/seq"
)

// statistics writes stats_I.csv, where I is the number of the connection. The columns are file,
// connection, name, client to server, server to client. The file is empty if neither the third
// ACK of the handshake nor a mapping was captured.
func (c *mptcpConn) statistics() {
	out := &file{folder: &c.out.folder, name: fmt.Sprintf("stats_%d.csv", c.id())}
	a, b := &c.sides[conn.A], &c.sides[conn.B]
	if a.hasFirst && b.hasFirst && a.hasAck && b.hasAck {
		c.rows(func(name string, c2s, s2c any) {
			out.buf = fmt.Appendf(out.buf, "%s;%d;%s;%v;%v\n", strings.ReplaceAll(c.out.file, ";", "_"), c.id(), name, c2s, s2c)
		})
	}
	out.close()
}

// rows calls put with each row, in mptcptrace's order.
func (c *mptcpConn) rows(put func(name string, c2s, s2c any)) {
	a, b := &c.sides[conn.A], &c.sides[conn.B]
	put("sfCount", len(c.conn.Subflows), 0)
	put("firstSeq", uint32(a.first), uint32(b.first))
	put("lastAck", uint32(a.ack), uint32(b.ack)) // by the sender of the ACK
	duration := fmt.Sprintf("%f", float64(b.ackAt-a.firstAt)/1e6)
	put("conTime", duration, duration)
	put("seqAcked", acked(a.first, b.ack), acked(b.first, a.ack))
	for i, s := range slices.Backward(c.conn.Subflows) {
		version := 4
		if strings.Contains(address(s.Ends[conn.A]), ":") {
			version = 6
		}
		put(fmt.Sprintf("sf_%d_ipVersion", i), version, version)
		put(fmt.Sprintf("sf_%d_ip", i), address(s.Ends[conn.A]), address(s.Ends[conn.B]))
		put(fmt.Sprintf("sf_%d_port", i), s.Ends[conn.A].Port, s.Ends[conn.B].Port)
	}
	put("tcpDumpFilter", c.filter(), "")
	c.reinjections(put)
}

// acked returns how many numbers there are from first to ack, or 0 if ack is lower than first.
func acked(first, ack seq.Wire) uint32 {
	if ack.Less(first) {
		return 0
	}
	return uint32(ack - first)
}

// reinjections calls put with each row about reinjected mappings.
func (c *mptcpConn) reinjections(put func(name string, c2s, s2c any)) {
	a, b := &c.sides[conn.A], &c.sides[conn.B]
	put("bytesReinjected", a.reinjected, b.reinjected)
	part := func(n uint32, first, ack seq.Wire) string {
		return fmt.Sprintf("%f", float64(n)/float64(uint32(ack-first)))
	}
	put("precentReinjected", part(a.reinjected, a.first, b.ack), part(b.reinjected, b.first, a.ack))
	for i := range maxSubflows {
		put(fmt.Sprintf("reinject%d", i), a.times[i], b.times[i])
	}
	for i := range maxSubflows {
		put(fmt.Sprintf("reinject_pc_%d", i), share(&a.times, i), share(&b.times, i))
	}
	for i, s := range slices.Backward(c.conn.Subflows) {
		if i >= maxSubflows {
			continue
		}
		of := fmt.Sprintf("%d_%d", i, s.Ends[conn.A].Port)
		put("reinjectCausedBy_"+of, a.causedBy[i], b.causedBy[i])
		put("reinjectCausedByPc_"+of, share(&a.causedBy, i), share(&b.causedBy, i))
	}
}

// share returns an element as a part of the sum, in single precision as mptcptrace does.
func share(of *[maxSubflows]int64, i int) string {
	sum := int64(0)
	for _, n := range of {
		sum += n
	}
	return fmt.Sprintf("%f", float32(of[i])/float32(max(1, sum)))
}

// filter returns an expression for tcpdump that selects the packets of the connection.
func (c *mptcpConn) filter() string {
	var b strings.Builder
	b.WriteString(" tcp && ( ")
	for i, s := range slices.Backward(c.conn.Subflows) {
		protocol := "ip"
		if strings.Contains(address(s.Ends[conn.A]), ":") {
			protocol = "ip6"
		}
		fmt.Fprintf(&b, " ( %s host %s && tcp port %d  ) ", protocol, address(s.Ends[conn.A]), s.Ends[conn.A].Port)
		if i > 0 {
			b.WriteString("|| ")
		}
	}
	b.WriteString(" ) ")
	return b.String()
}
