package tcptrace

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/mptcp"
)

// fileKind is a kind of file that each direction of a connection has.
type fileKind uint8

const (
	fileSeq fileKind = iota
	fileFlight
	filePerFlow
	fileGoodput
	fileAckSize
	fileRTTAck
	fileRTTSeq
	fileThroughput
	fileRightEdge // which mptcptrace leaves empty
	fileKinds
)

func (k fileKind) String() string {
	return [...]string{"seq", "flight", "flight_per_flow", "gput", "acksize", "rtt_ack_ts", "rtt_seq_ts", "sf", "rightEdge"}[k]
}

// The colours of the flight file.
const (
	flightWindow = 1 + iota
	flightData
	flightSubflows
)

// id is mptcptrace's number of the connection.
func (c *mptcpConn) id() int { return c.conn.ID + 1 }

// file returns a file by the sender of the data.
func (c *mptcpConn) file(from conn.Side, k fileKind) *file {
	if f := c.sides[from].files[k]; f != nil { // no text for each row
		return f
	}
	return c.list(&c.sides[from].files[k], fmt.Sprintf("%s_%v", clients[from], k))
}

// dot writes a value: time, value, colour, and zeros in the columns of a range.
func (c *mptcpConn) dot(from conn.Side, k fileKind, at int64, y uint32, colour int) {
	out := c.file(from, k)
	b := strconv.AppendUint(append(appendTime(out.buf, unix(at)), ','), uint64(y), 10)
	b = strconv.AppendInt(append(b, ','), int64(colour), 10)
	out.buf = append(b, ",0,0,-1\n"...)
	out.spill()
}

// line writes a range: time, start, colour, 1, end, and the number of the subflow that carried
// it first, or -1.
func (c *mptcpConn) line(from conn.Side, k fileKind, at int64, y uint32, colour int, length uint32, original int) {
	out := c.file(from, k)
	b := strconv.AppendUint(append(appendTime(out.buf, unix(at)), ','), uint64(y), 10)
	b = strconv.AppendInt(append(b, ','), int64(colour), 10)
	b = strconv.AppendUint(append(b, ",1,"...), uint64(y+length), 10)
	b = strconv.AppendInt(append(b, ','), int64(original), 10)
	out.buf = append(b, '\n')
	out.spill()
}

// value writes a value with a fraction; it has one column less.
func (c *mptcpConn) value(from conn.Side, k fileKind, at int64, v float64, colour int) {
	out := c.file(from, k)
	b := append(appendTime(out.buf, unix(at)), ',')
	if math.IsInf(v, 0) { // the time was 0; C prints this text
		b = append(b, "inf"...)
	} else {
		b = strconv.AppendFloat(b, v, 'f', 6, 64)
	}
	b = strconv.AppendInt(append(b, ','), int64(colour), 10)
	out.buf = append(b, ",0,0\n"...)
	out.spill()
}

// flight writes what the connection has in flight from one end, if anything.
func (c *mptcpConn) flight(from conn.Side, at int64) {
	if n, any := c.sides[from].unacked.flight(); any {
		c.dot(from, fileFlight, at, n, flightData)
	}
}

// flightOfSubflows writes the sum of what the subflows have in flight from one end.
func (c *mptcpConn) flightOfSubflows(from conn.Side, at int64) {
	sum := uint32(0)
	for i := range c.subs {
		n, _ := c.subs[i].sides[from].unacked.flight()
		sum += n
	}
	c.dot(from, fileFlight, at, sum, flightSubflows)
}

// flightPerFlow writes what each subflow has in flight from one end as stacked ranges,
// the latest subflow lowest.
func (c *mptcpConn) flightPerFlow(from conn.Side, at int64) {
	sum := uint32(0)
	for i := range slices.Backward(c.subs) {
		if n, any := c.subs[i].sides[from].unacked.flight(); any {
			c.line(from, filePerFlow, at, sum, i, n, -1)
			sum += n
		}
	}
}

// throughput writes the bytes that each subflow carried, repetitions too. The columns are number
// of the subflow, client to server, server to client. The files of both directions are equal.
func (c *mptcpConn) throughput() {
	for side := range c.sides {
		out := c.file(conn.Side(side), fileThroughput)
		for i := range c.subs {
			s := &c.subs[i].sides
			out.buf = fmt.Appendf(out.buf, "%d,%d,%d\n", i, s[conn.A].carried, s[conn.B].carried)
		}
	}
}

// addresses writes announced and withdrawn addresses: 1 for the client's or 0, and
// the address or its number.
func (c *mptcpConn) addresses(p *conn.Packet) {
	sender := int64(1)
	if p.From == conn.B {
		sender = 0
	}
	write := func(out *file, what string) {
		out.buf = fmt.Appendf(out.buf, "%d,%s\n", sender, what)
		out.spill()
	}
	mptcp.Walk(p.Seg.OtherMPTCP(), func(sub mptcp.Subtype, opt []byte) bool {
		var added mptcp.AddAddr
		var removed mptcp.RemoveAddr
		switch {
		case sub == mptcp.SubAddAddr && mptcp.ParseAddAddr(opt, &added) == nil && !added.Echo:
			write(c.list(&c.added, "add_addr"), added.Addr.String())
		case sub == mptcp.SubRemoveAddr && mptcp.ParseRemoveAddr(opt, &removed) == nil:
			for _, id := range removed.AddressIDs() {
				write(c.list(&c.removed, "rm_addr"), strconv.Itoa(int(id)))
			}
		}
		return true
	})
}

// list returns a file of the whole connection, not of a direction. It makes the file if it is new.
func (c *mptcpConn) list(out **file, name string) *file {
	if *out == nil {
		*out = &file{folder: &c.out.folder, name: fmt.Sprintf("%s_%d.csv", name, c.id())}
	}
	return *out
}

// closeFiles closes every file of the connection except the statistics. Files without rows are
// empty, as in mptcptrace.
func (c *mptcpConn) closeFiles() {
	for side := range c.sides {
		for k := range fileKinds {
			c.file(conn.Side(side), k).close()
		}
	}
	c.list(&c.added, "add_addr").close()
	c.list(&c.removed, "rm_addr").close()
	c.writeReinjected()
}

// writeReinjected writes the mappings of the client that more than one subflow carried:
// the index of the mapping in the order of sequence numbers, and the number of
// subflows.
func (c *mptcpConn) writeReinjected() {
	out := &file{folder: &c.out.folder, name: fmt.Sprintf("c2s_map_reinject_%d.csv", c.id())}
	out.buf = append(out.buf, "id,n\n"...)
	seen := &c.sides[conn.A].seen
	for i := range seen.list {
		if n := seen.list[i].times; n > 1 {
			out.buf = fmt.Appendf(out.buf, "%d,%d\n", seen.dropped+i, n)
		}
	}
	out.close()
}
