package report

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"mpanalyze/internal/record"
)

// A Source is a report whose connections are read one at a time, in the order of the
// document: a [Document] or a [Stored]. A connection that it returns is valid until the
// next call for a connection of the same kind.
type Source interface {
	// Head returns the document without its connections.
	Head() *Document
	// NumConnections and NumTCP return how many there are.
	NumConnections() int
	NumTCP() int
	// ConnectionAt and TCPAt return one, from 0.
	ConnectionAt(i int) (*Connection, error)
	TCPAt(i int) (*TCP, error)
}

// Each calls conn with each connection of Multipath TCP of a report, and then tcp with each plain one, and
// with its place in its list.
func Each(s Source, conn func(i int, c *Connection), tcp func(i int, c *TCP)) error {
	for i := range s.NumConnections() {
		c, err := s.ConnectionAt(i)
		if err != nil {
			return err
		}
		conn(i, c)
	}
	for i := range s.NumTCP() {
		c, err := s.TCPAt(i)
		if err != nil {
			return err
		}
		tcp(i, c)
	}
	return nil
}

// Head implements [Source].
func (d *Document) Head() *Document {
	head := *d
	head.Connections, head.TCP = nil, nil
	return &head
}

// NumConnections implements [Source].
func (d *Document) NumConnections() int { return len(d.Connections) }

// NumTCP implements [Source].
func (d *Document) NumTCP() int { return len(d.TCP) }

// ConnectionAt implements [Source].
func (d *Document) ConnectionAt(i int) (*Connection, error) { return &d.Connections[i], nil }

// TCPAt implements [Source].
func (d *Document) TCPAt(i int) (*TCP, error) { return &d.TCP[i], nil }

// Stored is a report that keeps its connections in a compact form: in memory as long as
// they are few, then in a temporary file. After all connections were added, it is a
// [Source] for one goroutine at a time. The caller must close it.
type Stored struct {
	head  Document
	spill spill
	buf   []byte // a record
	conns kindOf[Connection]
	tcp   kindOf[TCP]
}

// kindOf stores the connections of one kind.
type kindOf[T any] struct {
	codec   *record.Codec[T]
	maker   Maker[T]       // makes deferred reports
	memory  *record.Memory // memory of at
	at      T              // the connection that was read last
	index   []stored       // in the order of the document once sorted; 16 bytes for each connection
	number  func(*T, int)  // sets the number in the document; nil if the connection has it already
	changes []func(*T)     // changes to each connection that is read; only a few
}

// stored says where a record is.
type stored struct {
	at    int64
	order uint32 // order of the connection in the document
	size  uint32 // bytes, shifted left by sizeShift, and flags
}

// The flags of [stored].
const (
	marked    = 1 << iota // for [Stored.Marked]
	deferred              // the record is for a [Maker]
	sizeShift = iota
)

// Maker makes the report on a connection from a deferred record. Whole makes a report
// that stays valid; Again makes one that is valid until the next call.
type Maker[T any] struct{ Whole, Again func(record []byte, c *T) }

// NewStored returns a report without connections. memory is how many bytes of it stay
// in memory; 0 means the default.
func NewStored(memory int64) *Stored {
	words, reasons := record.NewDictionary(), reflect.TypeFor[Reasons]()
	s := &Stored{spill: spill{memory: cmp.Or(memory, spillMemory)}}
	s.conns.codec = record.NewCodec[Connection](words, reasons)
	s.tcp.codec = record.NewCodec[TCP](words, reasons)
	s.conns.memory, s.tcp.memory = s.conns.codec.NewMemory(), s.tcp.codec.NewMemory()
	s.tcp.number = func(c *TCP, i int) { c.ID = i }
	return s
}

// AddConnection stores a connection. In the document, connections are sorted by order.
func (s *Stored) AddConnection(c *Connection, order int) error {
	return s.conns.add(s, c, order, 0)
}

// AddTCP does the same for plain TCP; mark says whether [Stored.Marked] returns the
// connection.
func (s *Stored) AddTCP(c *TCP, order int, mark bool) error {
	if mark {
		return s.tcp.add(s, c, order, marked)
	}
	return s.tcp.add(s, c, order, 0)
}

// DeferBy sets how reports are made from deferred records.
func (s *Stored) DeferBy(conns Maker[Connection], tcp Maker[TCP]) {
	s.conns.maker, s.tcp.maker = conns, tcp
}

// DeferConnection stores a record in place of a report. The report is made from it each
// time the connection is read, see [Stored.DeferBy].
func (s *Stored) DeferConnection(record []byte, order int) error {
	return s.conns.put(s, record, order, deferred)
}

// DeferTCP does the same for plain TCP.
func (s *Stored) DeferTCP(record []byte, order int) error {
	return s.tcp.put(s, record, order, deferred)
}

// add stores a connection.
func (k *kindOf[T]) add(s *Stored, c *T, order int, flags uint32) error {
	s.buf = k.codec.Append(s.buf[:0], c)
	return k.put(s, s.buf, order, flags)
}

// put stores a record.
func (k *kindOf[T]) put(s *Stored, record []byte, order int, flags uint32) error {
	at, err := s.spill.add(record)
	if err == nil {
		k.index = append(k.index, stored{at: at, order: uint32(order), size: uint32(len(record))<<sizeShift | flags})
	}
	return err
}

// sort sorts the connections into the order of the document.
func (k *kindOf[T]) sort() {
	byOrder := func(x, y stored) int { return cmp.Compare(x.order, y.order) }
	if !slices.IsSortedFunc(k.index, byOrder) {
		slices.SortFunc(k.index, byOrder)
	}
}

// get reads the i-th connection into the memory of the one read before.
func (k *kindOf[T]) get(s *Stored, i int) (*T, error) {
	if k.index[i].size&deferred == 0 {
		k.memory.Reuse()
	}
	return &k.at, k.load(s, i, &k.at, k.memory, k.maker.Again)
}

// all reads every connection.
func (k *kindOf[T]) all(s *Stored) ([]T, error) {
	out, memory := make([]T, len(k.index)), k.codec.NewMemory()
	for i := range out {
		if err := k.load(s, i, &out[i], memory, k.maker.Whole); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// load reads the i-th connection into c, and the values that it points to into memory.
// made makes it if it was deferred.
func (k *kindOf[T]) load(s *Stored, i int, c *T, memory *record.Memory, made func([]byte, *T)) error {
	p := k.index[i]
	b, err := s.spill.get(p.at, int(p.size>>sizeShift))
	switch {
	case err != nil:
	case p.size&deferred != 0:
		made(b, c)
	default:
		err = k.codec.Decode(b, c, memory)
	}
	if err != nil {
		return fmt.Errorf("going through the connections: %w", err)
	}
	if k.number != nil {
		k.number(c, i)
	}
	for _, change := range k.changes {
		change(c)
	}
	return nil
}

// Store returns a report in the compact form.
func Store(d *Document) (*Stored, error) {
	s := NewStored(0)
	for i := range d.Connections {
		if err := s.AddConnection(&d.Connections[i], d.Connections[i].ID); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	for i := range d.TCP {
		if err := s.AddTCP(&d.TCP[i], i, false); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	s.Finish(d.Head())
	return s, nil
}

// Finish makes s a [Source] with a head.
func (s *Stored) Finish(head *Document) {
	s.head = *head
	s.conns.sort()
	s.tcp.sort()
}

// Amend makes a change to each connection.
func (d *Document) Amend(conn func(*Connection), tcp func(*TCP)) {
	for i := range d.Connections {
		conn(&d.Connections[i])
	}
	for i := range d.TCP {
		tcp(&d.TCP[i])
	}
}

// Amend adds changes that are made to each connection when it is read, after earlier
// changes.
func (s *Stored) Amend(conn func(*Connection), tcp func(*TCP)) {
	s.conns.changes, s.tcp.changes = append(s.conns.changes, conn), append(s.tcp.changes, tcp)
}

// Marked returns the plain TCP connections that were marked when they were added.
func (s *Stored) Marked() (out []int) {
	for i := range s.tcp.index {
		if s.tcp.index[i].size&marked != 0 {
			out = append(out, i)
		}
	}
	return out
}

// TCPOrder returns the order with which the i-th plain TCP connection was added.
func (s *Stored) TCPOrder(i int) int { return int(s.tcp.index[i].order) }

// Head implements [Source].
func (s *Stored) Head() *Document { return &s.head }

// NumConnections implements [Source].
func (s *Stored) NumConnections() int { return len(s.conns.index) }

// NumTCP implements [Source].
func (s *Stored) NumTCP() int { return len(s.tcp.index) }

// ConnectionAt implements [Source].
func (s *Stored) ConnectionAt(i int) (*Connection, error) { return s.conns.get(s, i) }

// TCPAt implements [Source].
func (s *Stored) TCPAt(i int) (*TCP, error) { return s.tcp.get(s, i) }

// Document returns the whole report.
func (s *Stored) Document() (*Document, error) {
	conns, err := s.conns.all(s)
	if err != nil {
		return nil, err
	}
	tcp, err := s.tcp.all(s)
	if err != nil {
		return nil, err
	}
	d := s.head
	d.Connections, d.TCP = conns, tcp
	return &d, nil
}

// Close removes the temporary file.
func (s *Stored) Close() error { return s.spill.close() }
