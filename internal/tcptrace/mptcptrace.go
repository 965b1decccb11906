package tcptrace

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// Statistics is a module that writes the files that mptcptrace -w 2 writes of a
// Multipath TCP connection with the number I: sequences, flight, goodput, delays
// and sizes of acknowledgments over time while the capture is read, stats_I.csv
// at the connection's end, and file_stats.csv of all.
//
// Three things are not as there: seqAcked counts octets of data, without the
// initial number and the DATA_FIN, beyond 2^32 too; a reinjection is found by
// the data it carries and not by the start of its mapping; and a line of the
// sequence files is what a packet carried, not a mapping that several repeat.
type Statistics struct {
	folder folder
	file   string
	totals totals
}

// NewStatistics returns a module that writes into a directory, which it makes
// if there is none. file names the capture in the files.
func NewStatistics(dir, file string) (*Statistics, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return &Statistics{folder: folder{dir: dir}, file: file}, nil
}

// Err returns the error that ended the writing.
func (s *Statistics) Err() error { return s.folder.err }

// Open watches a connection.
func (s *Statistics) Open(c *conn.Conn) conn.Observer {
	out := &counter{out: s, conn: c}
	for i := range out.sides {
		out.sides[i].series = seriesFiles{folder: &s.folder, side: clients[i]}
	}
	return out
}

// counter counts one connection.
type counter struct {
	conn.Nop
	out   *Statistics
	conn  *conn.Conn
	sides [2]dataCount // by the sender of the data

	added, removed *file // addresses; nil for none
}

// dataCount is what is counted of one direction.
type dataCount struct {
	rows       *file
	begun      bool
	first      seq.DSN // lowest data of the first packet that carried any
	firstAt    int64   // us
	acked      bool
	ack        seq.DSN // the latest DATA_ACK of this data
	ackedAt    int64   // us
	owners     owners
	reinjected []int64 // octets by the subflow that carried them again
	causedBy   []int64 // octets by the subflow that carried them first
	carried    []int64 // octets by the subflow, each time that it carried them
	series     seriesFiles
}

func (c *counter) Packet(p *conn.Packet) {
	if c.conn.Kind != conn.Multipath {
		return
	}
	other := p.From.Other()
	for i := range c.sides {
		c.sides[i].series.id = c.conn.ID
	}
	if p.Seg.RareLen > 0 {
		c.addresses(p)
	}
	for i := range p.Pieces {
		c.piece(p.From, p.Sub.ID, &p.Pieces[i])
	}
	for i := range p.Late {
		c.piece(other, p.Sub.ID, &p.Late[i])
	}
	if p.DataAck {
		d := &c.sides[other]
		d.acked, d.ack, d.ackedAt = true, p.AckAt, p.Seg.Time/1000
		c.row(other, d.ackedAt, p.AckAt, p.Sub.ID, 0, 0, -1)
		c.answered(other, p)
	}
	if len(p.Pieces) > 0 {
		c.sent(p)
	}
}

func (c *counter) piece(from conn.Side, sub int, piece *dss.Piece) {
	d, now := &c.sides[from], piece.Time/1000
	if !d.begun {
		d.begun, d.first, d.firstAt = true, piece.Data.Start, now
	}
	add(&d.carried, sub, piece.Data.Len())
	original := -1
	switch piece.Kind {
	case dss.First:
		d.owners.add(piece.Data, sub)
	case dss.Reinjection:
		d.owners.each(piece.Data, func(first int, octets int64) {
			if original < 0 {
				original = first + 1
			}
			if first != sub {
				add(&d.reinjected, sub, octets)
				add(&d.causedBy, first, octets)
			}
		})
	}
	c.row(from, now, piece.Data.Start, sub, 1, wire(c.conn, from, piece.Data.End), original)
}

// add adds n to the i-th of a list that grows with the subflows.
func add(list *[]int64, i int, n int64) {
	for len(*list) <= i {
		*list = append(*list, 0)
	}
	(*list)[i] += n
}

// row writes a line of a sequence file: time, number, subflow + 1, whether it
// is data, its end, and the subflow + 1 that carried it first or -1.
func (c *counter) row(from conn.Side, at int64, n seq.DSN, sub int, isData, end int64, original int) {
	d := &c.sides[from]
	if d.rows == nil {
		d.rows = &file{folder: &c.out.folder, name: fmt.Sprintf("%s_seq_%d.csv", clients[from], c.conn.ID)}
	}
	b := appendTime(d.rows.buf, at)
	for _, v := range [...]int64{wire(c.conn, from, n), int64(sub + 1), isData, end, int64(original)} {
		b = strconv.AppendInt(append(b, ','), v, 10)
	}
	d.rows.buf = append(b, '\n')
	d.rows.spill()
}

// wire returns the low 32 bits of a DSN, which is all that version 0 has.
func wire(c *conn.Conn, from conn.Side, p seq.DSN) int64 {
	n, _ := c.Spaces[from].Absolute(p)
	return int64(uint32(n))
}

// octets returns the data that the other end acknowledged.
func (c *counter) octets(from conn.Side) int64 {
	d := &c.sides[from]
	if !d.acked || !d.begun {
		return 0
	}
	n := int64(d.ack - d.first)
	if c.conn.Spaces[from].FINAcked() {
		n--
	}
	return max(0, n)
}

func (c *counter) Close(int64) {
	if c.conn.Kind != conn.Multipath {
		return
	}
	for i := range c.sides {
		if rows := c.sides[i].rows; rows != nil {
			rows.close()
		}
		c.sides[i].series.close()
	}
	for _, list := range []*file{c.added, c.removed} {
		if list != nil {
			list.close()
		}
	}
	c.throughput()
	c.out.total(c.conn)
	out := &file{folder: &c.out.folder, name: fmt.Sprintf("stats_%d.csv", c.conn.ID)}
	c.statistics(func(name string, c2s, s2c any) {
		out.buf = fmt.Appendf(out.buf, "%s;%d;%s;%v;%v\n", strings.ReplaceAll(c.out.file, ";", "_"), c.conn.ID, name, c2s, s2c)
	})
	out.close()
}

// listed is how many subflows mptcptrace has rows for, at least.
const listed = 32

// statistics gives put the rows of the file of a connection, in mptcptrace's
// order.
func (c *counter) statistics(put func(name string, c2s, s2c any)) {
	a, b := &c.sides[conn.A], &c.sides[conn.B]
	put("sfCount", len(c.conn.Subflows), len(c.conn.Subflows))
	put("firstSeq", wire(c.conn, conn.A, a.first), wire(c.conn, conn.B, b.first))
	put("lastAck", wire(c.conn, conn.B, b.ack), wire(c.conn, conn.A, a.ack)) // by the sender of the ACK
	duration := 0.0
	if a.begun && a.acked {
		duration = float64(elapsed(a.firstAt, a.ackedAt)) / 1e6
	}
	put("conTime", fmt.Sprintf("%.6f", duration), fmt.Sprintf("%.6f", duration))
	acked := [2]int64{c.octets(conn.A), c.octets(conn.B)}
	put("seqAcked", acked[0], acked[1])
	for i := len(c.conn.Subflows) - 1; i >= 0; i-- {
		s := c.conn.Subflows[i]
		version := 4
		if strings.Contains(address(s.Ends[conn.A]), ":") {
			version = 6
		}
		put(fmt.Sprintf("sf_%d_ipVersion", i), version, version)
		put(fmt.Sprintf("sf_%d_ip", i), address(s.Ends[conn.A]), address(s.Ends[conn.B]))
		put(fmt.Sprintf("sf_%d_port", i), s.Ends[conn.A].Port, s.Ends[conn.B].Port)
	}
	filter := c.filter()
	put("tcpDumpFilter", filter, filter)
	c.reinjections(acked, put)
}

// reinjections gives put the rows on reinjected data.
func (c *counter) reinjections(acked [2]int64, put func(name string, c2s, s2c any)) {
	a, b := &c.sides[conn.A], &c.sides[conn.B]
	share := func(side int, n int64) string {
		return fmt.Sprintf("%.6f", float64(n)/float64(max(1, acked[side])))
	}
	put("bytesReinjected", sum(a.reinjected), sum(b.reinjected))
	put("precentReinjected", share(0, sum(a.reinjected)), share(1, sum(b.reinjected)))
	n := max(listed, len(c.conn.Subflows))
	for i := range n {
		put(fmt.Sprintf("reinject%d", i), at(a.reinjected, i), at(b.reinjected, i))
	}
	for i := range n {
		put(fmt.Sprintf("reinject_pc_%d", i), share(0, at(a.reinjected, i)), share(1, at(b.reinjected, i)))
	}
	for i, s := range c.conn.Subflows {
		name := fmt.Sprintf("reinjectCausedBy_%d_%d", i, s.Ends[conn.A].Port)
		put(name, at(a.causedBy, i), at(b.causedBy, i))
		put(name+"Pc", share(0, at(a.causedBy, i)), share(1, at(b.causedBy, i)))
	}
}

// filter is an expression for tcpdump that selects the connection's packets.
func (c *counter) filter() string {
	var terms []string
	for _, s := range c.conn.Subflows {
		end := func(e packet.Endpoint) string { return fmt.Sprintf("host %s and port %d", address(e), e.Port) }
		terms = append(terms, "(tcp and "+end(s.Ends[conn.A])+" and "+end(s.Ends[conn.B])+")")
	}
	return strings.Join(terms, " or ")
}

func at(list []int64, i int) int64 {
	if i < len(list) {
		return list[i]
	}
	return 0
}

func sum(list []int64) (n int64) {
	for _, v := range list {
		n += v
	}
	return n
}
