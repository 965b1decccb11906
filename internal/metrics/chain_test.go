package metrics

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/stats"
	"mpanalyze/internal/tracegen"
)

// linked counts the packets of A that a chain took, and of these the late ones.
type linked struct {
	*Connection
	taken, late *int
}

func (l linked) Packet(p *conn.Packet) {
	d := l.Dir(conn.A)
	waited := d.chain.more
	l.Connection.Packet(p)
	if d.chain.more > waited {
		*l.taken++
		if d.Order.filling {
			*l.late++
		}
	}
}

// linker is a collector of them.
type linker struct {
	*Collector
	taken, late int
}

func (k *linker) Open(c *conn.Conn) conn.Observer {
	return linked{k.Collector.Open(c).(*Connection), &k.taken, &k.late}
}

// TestChains holds what the receiving host shows against the same while another
// capture tells of the rest from the second cell on.
func TestChains(t *testing.T) {
	told := func(*conn.Conn, *conn.Subflow, conn.Side) bool { return true }
	all, allLate := 0, 0
	for seed := range uint64(12) {
		for _, cfg := range []Config{
			{Interval: 100 * msec},
			{Interval: 100 * msec, Skip: 150 * msec, Until: 700 * msec},
		} {
			m := measure(t, traffic(seed), tracegen.HostB, cfg)
			cfg.Elsewhere = told
			var shared *Connection
			k := &linker{Collector: NewCollector(cfg, func(got *Connection) { shared = got })}
			play(t, traffic(seed), tracegen.HostB, k)
			all, allLate = all+k.taken, allLate+k.late
			if d := cmp.Diff(received(m.Connection), received(shared)); d != "" {
				t.Fatalf("seed %d, %+v:\n%s", seed, cfg, d)
			}
		}
	}
	if all < 1500 || allLate < 100 {
		t.Errorf("chains took %d packets, %d of them late", all, allLate)
	}
}

// received is what the receiving host alone shows of A's data.
func received(m *Connection) map[string]any {
	d := m.Dir(conn.A)
	o := &d.Order
	out := map[string]any{
		"chunks": []int64{o.Chunks, o.Firsts, o.Reordered, o.Discontinuous}, "peak": o.Peak, "n-reordered": o.NReordered(),
	}
	octets, segments := d.HoLQueue()
	for name, x := range map[string]*stats.Dist{
		"offset": &o.Offset, "extent": &o.ExtentChunks, "extent ms": &o.ExtentMS, "extent octets": &o.ExtentBytes,
		"queue": octets, "queue segments": segments,
	} {
		out[name] = x.Describe()
	}
	for _, s := range m.Subs {
		b := s.Dir(conn.A)
		name := fmt.Sprintf("subflow %d", s.Sub.ID)
		out[name+" in-order wait"], out[name+" wait for the DATA_ACK"] = b.InOrderWait.Describe(), b.HoLWait.Describe()
		out[name+" dsr"], out[name+" without the path"] = b.DSR.Rates.Describe(), b.Rec
	}
	return out
}
