package conn

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/testrun"
	"mpanalyze/internal/tracegen"
)

// diary writes down what it is told of each connection.
type diary struct{ all []*page }

type page struct {
	Nop
	c    *Conn
	told strings.Builder
}

func (d *diary) Open(c *Conn) Observer {
	p := &page{c: c}
	d.all = append(d.all, p)
	return p
}

func (p *page) Packet(k *Packet) { fmt.Fprintf(&p.told, "#%d s%d %v;", k.Seg.Num, k.Sub.ID, k.From) }
func (p *page) Event(e *Event)   { fmt.Fprintf(&p.told, "%s #%d;", e.Kind, e.Packet) }
func (p *page) Close(at int64)   { fmt.Fprintf(&p.told, "end %d", at) }

// text is all of it, in the order of the connections' numbers, and the warnings.
func (d *diary) text(t *Table) string {
	slices.SortFunc(d.all, func(a, b *page) int { return cmp.Compare(a.c.Seq, b.c.Seq) })
	var ids []int
	for _, p := range d.all {
		ids = append(ids, p.c.ID)
	}
	slices.Sort(ids)
	var out strings.Builder
	for _, p := range d.all {
		rank, _ := slices.BinarySearch(ids, p.c.ID)
		fmt.Fprintf(&out, "%d %v %d: %s\n", rank, p.c.Kind, p.c.Version, p.told.String())
	}
	for _, w := range t.Warnings.List() {
		fmt.Fprintf(&out, "%s #%d %d\n", w.Code, w.Packet, w.Count)
	}
	return out.String()
}

// chance makes packets of flows between few hosts: handshakes, joins, data,
// ends, and now and then something else.
type chance struct {
	*rand.Rand
	odd   int // one in so many packets is anything
	slow  int // one in so many comes after a pause
	now   int64
	num   uint64
	flows []*chanced
}

type chanced struct {
	ends [2]packet.Endpoint
	next [2]seq.Wire
	step int
	key  uint64
	join bool
}

func (r *chance) flow() *chanced {
	f := &chanced{key: 2*r.num + 1, next: [2]seq.Wire{seq.Wire(r.Uint32()), seq.Wire(r.Uint32())}}
	for i := range f.ends {
		f.ends[i].Addr[15], f.ends[i].Port = byte(2*r.IntN(2)+i), uint16(r.IntN(40))
	}
	if r.IntN(3) == 0 {
		f.joins(r)
	}
	r.flows = append(r.flows, f)
	return f
}

// joins makes f a subflow of one of the latest connections, if its handshake is
// over; or, rarely, whatever that is.
func (f *chanced) joins(r *chance) {
	if n := len(r.flows); n > 0 {
		other := r.flows[n-1-r.IntN(min(n, 8))]
		if odd := r.IntN(r.odd) == 0; odd || !other.join && other.step > 2 {
			f.join, f.key = !odd || r.IntN(2) == 0, other.key
		}
	}
}

func (r *chance) packet() packet.Segment {
	f := r.flows[max(0, len(r.flows)-1-r.IntN(8))]
	if r.IntN(12) == 0 {
		f = r.flow()
	}
	r.now += r.Int64N(int64(20 * time.Millisecond))
	if r.IntN(r.slow) == 0 {
		r.now += []int64{3e9, 7e9, 62e9, 130e9, 245e9}[r.IntN(5)]
	}
	r.num++
	s := packet.Segment{Num: r.num, Time: r.now, Flags: packet.ACK, Window: 1000}
	from, step := r.IntN(2), f.step
	f.step++
	if r.IntN(r.odd) == 0 {
		step = r.IntN(12)
		f.joins(r)
	}
	var option []byte
	switch {
	case step == 0:
		from, s.Flags = 0, packet.SYN
		if option = capable(false, false, f.key, 0); f.join {
			option = joins(f.key + 1)
		}
	case step == 1:
		from, s.Flags = 1, packet.SYN|packet.ACK
		if option = capable(true, false, f.key+1, 0); f.join {
			option = (&mptcp.Join{Form: mptcp.JoinSYNACK}).Append(nil)
		}
	case step == 2 && !f.join:
		from, option = 0, capable(true, true, f.key, f.key+1)
	case step > 8 && step < 12:
		s.Flags |= packet.FIN
	case r.IntN(80) == 0:
		s.Flags = packet.RST
	case !f.join || step > 3:
		s.Have, s.PayloadLen = packet.HasDSS, 10
		s.DSS = mptcp.DSS{Flags: mptcp.DSSMap | mptcp.DSSDSN8, DSN: mptcp.IDSN(1, f.key+uint64(from)) + uint64(step), SSN: uint32(step), Length: 10}
	}
	s.Src, s.Dst, s.Seq, s.Ack = f.ends[from], f.ends[1-from], f.next[from], f.next[1-from]
	f.next[from] = s.End()
	s.RareLen = uint8(copy(s.Rare[:], option))
	return s
}

// TestAbsorb: two tables that share a capture, until sharing ends by itself or
// at any packet, tell what one tells.
func TestAbsorb(t *testing.T) {
	early, late := 0, 0
	seeds := testrun.Cases(3000)
	for seed := range uint64(seeds) {
		r := &chance{Rand: rand.New(rand.NewPCG(seed, 9)), now: int64(time.Hour)}
		r.odd, r.slow = 10+r.IntN(1500), 5+r.IntN(500)
		r.flow()
		segs := make([]packet.Segment, 50+r.IntN(800))
		for i := range segs {
			segs[i] = r.packet()
		}
		var alone, both diary
		one := NewTable(Options{}, &alone)
		for i := range segs {
			one.Segment(&segs[i])
		}
		one.Finish()
		end := len(segs)
		if seed%2 == 0 {
			end = r.IntN(end)
		}
		tables := [2]*Table{NewShare(Options{}, &both), NewShare(Options{}, &both)}
		shared := shareOut(tables, segs, end)
		if shared == end {
			late++
		} else {
			early++
		}
		if got, want := both.text(tables[0]), alone.text(one); got != want {
			t.Fatalf("seed %d, %d of %d packets shared out: two tables tell\n%s\none tells\n%s", seed, shared, len(segs), got, want)
		}
	}
	if early < seeds/10 || late < seeds/10 {
		t.Errorf("sharing ended early in %d cases and went on in %d", early, late)
	}
}

// checkRoutes panics where a table remembers a direction other than that to which
// its next packet belongs.
func checkRoutes(t *Table) {
	for n, d := range t.routes {
		if d != nil && (int(d.route) != n || t.flows[key{d.Sub.Ends[d.From], d.Sub.Ends[d.From.Other()]}] != d) {
			panic("the number of a route is that of another")
		}
	}
}

// shareOut gives packets to two tables, no more than end, and then to the first,
// and returns how many it did share out.
func shareOut(tables [2]*Table, segs []packet.Segment, end int) int {
	h := NewSharing()
	for at, ok := 0, true; at < len(segs); {
		next := segs[at:min(end, at+1+at%7)] // a few at a time
		var parts [2][]Given
		n := 0
		if n, ok = h.Give(next, 0, &parts); len(parts[0])+len(parts[1]) != n {
			panic("not every packet has one table")
		}
		for i, table := range tables {
			table.Part(at, next, parts[i])
			if at%11 == 0 {
				checkRoutes(table)
			}
		}
		at += n
		if now, due := h.Tick(); due {
			tables[0].Sweep(now)
			tables[1].Sweep(now)
		}
		if !ok || at == end && end < len(segs) {
			tables[0].Absorb(tables[1], h)
			for at < len(segs) {
				next := segs[at:min(len(segs), at+1+at%9)]
				until := next[at%len(next)].Time
				n := tables[0].Segments(next, until)
				if behind := slices.IndexFunc(next, func(s packet.Segment) bool { return s.Time > until }); n != behind && (behind >= 0 || n != len(next)) {
					panic("not the packets up to a time")
				}
				at += n
			}
			tables[0].Finish()
			return h.given
		}
	}
	tables[0].Finish()
	tables[1].Finish()
	tables[0].Absorb(tables[1], h)
	return len(segs)
}

// A table knows the direction of a packet by the number of its route from the
// second or third on, until the subflow ends.
func TestPartRemembers(t *testing.T) {
	segs := segments(t, eventful(rand.New(rand.NewPCG(1, 2))).Packets(tracegen.HostA), tracegen.LinkRaw)
	h, table := NewSharing(), NewShare(Options{})
	most := 0
	for i := range segs {
		var parts [2][]Given
		if _, ok := h.Give(segs[i:i+1], 0, &parts); !ok {
			t.Fatalf("sharing ends at packet %d", i)
		}
		h.Tick()
		table.Part(i, segs[i:i+1], append(parts[0], parts[1]...))
		checkRoutes(table)
		known := 0
		for _, d := range table.routes {
			if d != nil {
				known++
			}
		}
		if known > len(table.flows) {
			t.Fatalf("packet %d: %d directions are known, there are %d", i, known, len(table.flows))
		}
		most = max(most, known)
	}
	if most < 4 {
		t.Errorf("%d directions were known at once, want those of two subflows", most)
	}
}

// Two ends may be one: both directions of such a flow are one route.
func TestRouteNumbers(t *testing.T) {
	h := NewSharing()
	for i := range byte(20) {
		s := packet.Segment{Time: int64(i), Flags: packet.SYN}
		s.Src.Addr[15], s.Dst.Addr[15] = i, i
		if i%3 == 0 {
			s.Dst.Addr[15]++
		}
		var parts [2][]Given
		if _, ok := h.Give([]packet.Segment{s}, 0, &parts); !ok {
			t.Fatalf("sharing ends at flow %d", i)
		}
	}
	seen := map[uint16]bool{}
	for k, r := range h.routes {
		if r.number == 0 || seen[r.number] {
			t.Errorf("%v: number %d", k, r.number)
		}
		seen[r.number] = true
	}
	if len(seen) != 7*2+13 {
		t.Errorf("%d routes, want two of each of 7 flows and one of each of 13", len(seen))
	}
}
