package split

import (
	"errors"
	"fmt"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/output"
)

// Recorder stores, while a capture is tracked, which packets belong to which connection, and
// what the connection table decided. Its memory grows with the number of connections, not of
// packets: what it stores for each packet is in temporary files.
type Recorder struct {
	places *places
	conns  []connection // by [conn.Conn.Order]
	links  []link       // bounded by two for each connection
	steps  *stepLog
	err    error
}

// connection is what the recorder stores for a connection in memory: 40 bytes.
type connection struct {
	digest  uint64
	packets uint64
	parent  int32 // order of another connection that goes into the same part; its own order if there is none
	id      int32 // [conn.Conn.ID]
	part    uint16
	ended   bool
	pinned  bool // must be in the first part, where the fragments are
}

// link says that a connection depends on the connection of a packet.
type link struct {
	order int32
	num   uint64
}

// NewRecorder returns a recorder. The caller must close it.
func NewRecorder() (*Recorder, error) {
	p, err := newPlaces()
	if err != nil {
		return nil, err
	}
	file, err := output.NewScratch()
	if err != nil {
		return nil, errors.Join(err, p.file.Close())
	}
	return &Recorder{places: p, steps: newStepLog(file)}, nil
}

// Close removes the temporary files.
func (r *Recorder) Close() error { return errors.Join(r.places.file.Close(), r.steps.file.Close()) }

// Err returns why the capture cannot be divided; nil if it can.
func (r *Recorder) Err() error { return errors.Join(r.err, r.places.err, r.steps.err) }

// Refuse stores why the capture cannot be divided. Only the first reason is kept.
func (r *Recorder) Refuse(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// Fragment stores that a packet is a fragment and did not complete a datagram.
func (r *Recorder) Fragment(num uint64) { r.places.set(num, fragment) }

// Reassembled stores that a packet completed a datagram. Call it before the packet is tracked.
func (r *Recorder) Reassembled(num uint64) { r.places.set(num, fragment) }

// at returns the entry of a connection, and makes it if it is new.
func (r *Recorder) at(order int) *connection {
	for len(r.conns) <= order {
		r.conns = append(r.conns, connection{parent: int32(len(r.conns)), id: -1})
	}
	return &r.conns[order]
}

// belongs stores the connection of a packet.
func (r *Recorder) belongs(num uint64, order int) {
	at, ok := placeOf(order)
	if !ok {
		r.Refuse("there are more than %d connections; cut the capture by time first", order)
		return
	}
	c := r.at(order)
	c.packets++
	if r.places.set(num, at) == fragment {
		c.pinned = true
	}
}

// Short, Together, TogetherWith, Step, Ended and Uncertain implement [conn.Journal].
func (r *Recorder) Short(num uint64, order int) { r.belongs(num, order) }

func (r *Recorder) Together(order, other int) {
	x, y := r.root(order), r.root(other)
	r.conns[max(x, y)].parent = int32(min(x, y))
}

func (r *Recorder) TogetherWith(order int, num uint64) {
	r.at(order)
	r.links = append(r.links, link{int32(order), num})
}

func (r *Recorder) Step(s *conn.Step) { r.steps.add(s) }

func (r *Recorder) Ended(e conn.Ending) {
	c := r.at(e.Order)
	c.digest, c.id, c.ended = e.Digest, int32(e.ID), true
}

func (r *Recorder) Uncertain(num uint64) {
	r.Refuse("packet %d may belong to more connections than are compared with it, so the parts could show other connections than the whole", num)
}

// root returns the connection that represents all connections that go into the same part
// (union-find; it shortens the chain of parents on its way).
func (r *Recorder) root(order int) int {
	r.at(order)
	for r.conns[order].parent != int32(order) {
		up := r.conns[order].parent
		r.conns[order].parent = r.conns[up].parent
		order = int(up)
	}
	return order
}

// Open implements [conn.Module].
func (r *Recorder) Open(*conn.Conn) conn.Observer { return watcher{r: r} }

// Late implements [conn.LateModule].
func (r *Recorder) Late(l *conn.Late) bool {
	r.belongs(l.Seg.Num, l.Order)
	return true
}

// watcher stores the packets of a connection. It also takes chunks, so that the connection
// table keeps the same state as in an analysis.
type watcher struct {
	conn.Nop
	r *Recorder
}

// Packet implements [conn.Observer].
func (w watcher) Packet(p *conn.Packet) { w.r.belongs(p.Seg.Num, p.Conn.Order) }

// Settled implements [conn.ChunkObserver].
func (watcher) Settled(*conn.Subflow, conn.Side, []dss.Chunk) {}
