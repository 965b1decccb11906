package fairness

import (
	"cmp"
	"net/netip"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
)

// Collector follows the connections of one capture. It is a [conn.Module].
type Collector struct {
	// Label returns the user's name for a path between two addresses, or ""; nil for no names.
	Label func(a, b netip.Addr) string

	open    int        // directions of subflows that are followed
	kept    []*dataDir // directions of connections that have ended; bounded by maxKept, and their flows by maxOpen
	flows   int        // number of flows in kept
	omitted int64
}

const (
	maxOpen  = 1024   // directions of subflows, with up to 64 KiB each
	maxKept  = 256    // directions of connections
	minBytes = 100000 // least bytes of a direction that takes part: a shorter one ends before it can get its share
)

// dataDir is one direction of a connection: the data that one host sent.
type dataDir struct {
	order int
	id    int // of the connection; -1 for plain TCP
	from  conn.Side
	atSrc bool // captured at the host that sent it
	flows []*flow
	bytes int64
}

// flow is one direction of one subflow.
type flow struct {
	ends  [2]packet.Endpoint // by side
	cells cells
}

// follower follows one connection.
type follower struct {
	conn.Nop
	c     *conn.Conn
	to    *Collector
	flows []*flow // by [conn.SubflowDir.DirIndex]; nil if nothing was sent
	over  bool    // a flow was left out
}

// Open begins to follow a connection.
func (k *Collector) Open(c *conn.Conn) conn.Observer { return &follower{c: c, to: k} }

// Packet counts the payload of a packet.
func (f *follower) Packet(p *conn.Packet) {
	if !p.HasPayload() {
		return
	}
	i := int(p.DirIndex)
	for i >= len(f.flows) {
		f.flows = append(f.flows, nil)
	}
	if f.flows[i] == nil {
		if f.to.open >= maxOpen {
			f.over = true
			return
		}
		f.to.open++
		f.flows[i] = &flow{ends: p.Sub.Ends}
	}
	f.flows[i].cells.add(packet.Unix(p.Seg.Time), int64(p.Seg.PayloadLen), !p.TCP.Sent.HasNew())
}

// Close keeps the directions that carried at least minBytes.
func (f *follower) Close(int64) {
	if f.over {
		f.to.omitted++
	}
	place, _ := f.c.Vantage()
	for _, from := range []conn.Side{conn.A, conn.B} {
		w := &dataDir{order: f.c.Order, id: -1, from: from, atSrc: place == conn.AtA && from == conn.A || place == conn.AtB && from == conn.B}
		if f.c.Kind == conn.Multipath {
			w.id = f.c.ID
		}
		for i := int(from); i < len(f.flows); i += 2 {
			if x := f.flows[i]; x != nil {
				f.to.open--
				w.flows = append(w.flows, x)
				w.bytes += x.cells.total().all
			}
		}
		if w.bytes >= minBytes && !f.over && f.c.ClockFault() == "" {
			f.to.keep(w)
		}
	}
	f.flows = nil
}

// keep keeps a direction. If there are too many, it drops those with the least bytes.
func (k *Collector) keep(w *dataDir) {
	k.kept = append(k.kept, w)
	for k.flows += len(w.flows); len(k.kept) > maxKept || k.flows > maxOpen; {
		k.drop()
	}
}

// drop drops the direction with the least bytes.
func (k *Collector) drop() {
	k.omitted++
	least := slices.MinFunc(k.kept, func(a, b *dataDir) int {
		return cmp.Or(cmp.Compare(a.bytes, b.bytes), cmp.Compare(b.order, a.order), cmp.Compare(b.from, a.from))
	})
	k.flows -= len(least.flows)
	k.kept = slices.DeleteFunc(k.kept, func(x *dataDir) bool { return x == least })
}
