package metrics

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/tracegen"
)

// watched is a collector that looks at every packet before it is taken.
type watched struct {
	*Collector
	look func(*Connection, *conn.Packet)
}

type watcher struct {
	*Connection
	look func(*Connection, *conn.Packet)
}

func (k watched) Open(c *conn.Conn) conn.Observer {
	return watcher{k.Collector.Open(c).(*Connection), k.look}
}

func (w watcher) Packet(p *conn.Packet) {
	w.look(w.Connection, p)
	w.Connection.Packet(p)
}

// tides is a session in which the window of B is wide, nearly used up, used up
// and closed in turn.
func tides(seed uint64) *tracegen.Session {
	rng := rand.New(rand.NewPCG(seed, 4))
	s, f := onePath(tracegen.Config{Version: 1})
	at, offset := 100*msec, int64(0)
	for range 40 {
		for range 1 + rng.IntN(150) {
			f.Data(tracegen.A2B, at, offset, 1000)
			at, offset = at+msec/2, offset+1000
		}
		window := []int{0, 512, 4096, 80 << 10, 100 << 10}[rng.IntN(5)]
		for range 1 + rng.IntN(3) {
			offer(f.Ack(tracegen.B2A, at), window)
			at += 10 * msec
		}
	}
	return s
}

// TestCalmWindow: as long as a segment fits into the window, or nothing does,
// nobody asks how much is left; the times are those of asking always. In every
// second session the connection falls back while the window is used up.
func TestCalmWindow(t *testing.T) {
	ignore := cmp.Options{cmpopts.IgnoreUnexported(Trace{}), cmpopts.EquateEmpty()}
	for seed := range uint64(8) {
		for _, v := range []tracegen.View{tracegen.HostA, tracegen.HostB} {
			calm, packets := 0, 0
			observe := func(always bool) (limited time.Duration, tr Trace) {
				fallen := false
				look := func(m *Connection, p *conn.Packet) {
					d := m.dir(conn.A)
					packets++
					if d.Window.calm.holds(d.free()) {
						calm++
					}
					if always {
						d.Window.calm, d.Window.latest.field = span{}, lookAgain
					}
					if seed%2 == 1 && !fallen && d.trace.fullAt.Seen() && d.Window.limitedAt != 0 && packets%2000 > 1000 {
						fallen = true
						m.Conn.Fallback = "told to"
						m.Event(&conn.Event{Time: p.Seg.Time, Kind: conn.EventFallback})
					}
				}
				var got *Connection
				play(t, tides(seed), v, watched{NewCollector(Config{}, func(m *Connection) { got = m }), look})
				return time.Duration(got.Dir(conn.A).Window.Limited), *got.Trace(conn.A)
			}
			wantLimited, want := observe(true)
			calm, packets = 0, 0
			limited, tr := observe(false)
			if limited != wantLimited || wantLimited == 0 {
				t.Errorf("seed %d, view %d: used up for %v, want %v", seed, v, limited, wantLimited)
			}
			if d := cmp.Diff(want, tr, ignore); d != "" || want.Fulls == 0 || want.Zeros == 0 {
				t.Errorf("seed %d, view %d (-always +calm):\n%s\n%+v", seed, v, d, want)
			}
			if calm < packets/4 {
				t.Errorf("seed %d, view %d: the window is calm at %d of %d packets", seed, v, calm, packets)
			}
		}
	}
}

// TestTalkGoesOn: B leaves its options out of two of ten packets, in the
// middle or at the end.
func TestTalkGoesOn(t *testing.T) {
	for _, c := range []struct {
		bare   int // the first packet without options
		silent int64
	}{{4, 0}, {8, 2}} {
		s, f := onePath(tracegen.Config{Version: 1})
		for i := range 10 {
			x := f.Data(tracegen.A2B, 100*msec+time.Duration(i)*30*msec, int64(1000*i), 1000)
			if a := f.Ack(tracegen.B2A, x.ArrivesAt()); i == c.bare || i == c.bare+1 {
				a.Edit(func(p *tracegen.Packet) { p.Options = nil })
			}
		}
		var marks []Mark // of B's packets
		var got *Connection
		look := func(_ *Connection, p *conn.Packet) {
			if p.From == conn.B && p.Seg.Flags&packet.SYN == 0 {
				marks = append(marks, markOf(p))
			}
		}
		play(t, s, tracegen.HostA, watched{NewCollector(Config{}, func(m *Connection) { got = m }), look})
		if len(marks) != 10 {
			t.Fatalf("%d packets of B", len(marks))
		}
		want := Talk{First: marks[0], Last: marks[9], Packets: 8}
		if c.silent > 0 {
			want.Last, want.Silence, want.Silent = marks[7], marks[8], c.silent
		}
		if d := cmp.Diff(want, *got.Subs[0].Talk(conn.B)); d != "" {
			t.Errorf("bare from packet %d on (-want +got):\n%s", c.bare, d)
		}
	}
}
