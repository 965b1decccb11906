package fairness

import (
	"net/netip"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
)

// pathDir is one direction of a path, with the data that was sent over it.
type pathDir struct {
	name     string // as for the Multipath TCP connections
	portions []*portion
}

// portion is the data that one direction of a connection sent over a pathDir.
type portion struct {
	*dataDir
	first *flow
	cells cells
}

func (w *dataDir) multi() bool { return w.id >= 0 }

func (w *dataDir) direction() report.Direction {
	if w.from == conn.A {
		return report.A2B
	}
	return report.B2A
}

// pathDirs groups the flows by the directions of paths that they took.
func (k *Collector) pathDirs() (all []*pathDir) {
	found := map[pathKey]*pathDir{}
	for _, w := range k.kept {
		for _, f := range w.flows {
			key, name := k.key(f.ends, w.from)
			r := found[key]
			if r == nil {
				r = &pathDir{name: name}
				found[key] = r
				all = append(all, r)
			}
			if w.multi() {
				r.name = name
			}
			if n := len(r.portions); n > 0 && r.portions[n-1].dataDir == w {
				last := r.portions[n-1]
				last.cells = sum(last.cells, f.cells)
			} else {
				r.portions = append(r.portions, &portion{dataDir: w, first: f, cells: f.cells})
			}
		}
	}
	return all
}

// pathKey identifies a direction of a path: by the user's label, or by the addresses of the ends.
type pathKey struct {
	label string
	pair  [2]netip.Addr
	back  bool // the direction is from the second of pair, or towards the labelled end
}

// key returns the key of the data that side from sends between two ends, and the name of its path.
func (k *Collector) key(ends [2]packet.Endpoint, from conn.Side) (pathKey, string) {
	a, b := ends[conn.A].AddrPort().Addr(), ends[conn.B].AddrPort().Addr()
	src, dst := ends[from].AddrPort().Addr(), ends[from.Other()].AddrPort().Addr()
	back := src.Compare(dst) > 0
	if k.Label != nil {
		if name := k.Label(a, b); name != "" {
			if here, there := k.Label(src, src) == name, k.Label(dst, dst) == name; here != there {
				back = there
			}
			return pathKey{label: name, back: back}, name
		}
	}
	pair := [2]netip.Addr{src, dst}
	if back {
		pair = [2]netip.Addr{dst, src}
	}
	return pathKey{pair: pair, back: back}, a.String() + "-" + b.String()
}

func endpoint(e packet.Endpoint) report.Endpoint {
	return report.Endpoint{Addr: e.AddrPort().Addr().String(), Port: int(e.Port)}
}

// portion returns what a direction of a connection sent over the path, or nil if it sent nothing.
func (r *pathDir) portion(w *dataDir) *portion {
	for _, l := range r.portions {
		if l.dataDir == w {
			return l
		}
	}
	return nil
}

// congestion returns the retransmitted part of all data on the path, in percent. It returns nil
// unless all the data was captured at its senders.
func (r *pathDir) congestion() *float64 {
	var all cell
	for _, l := range r.portions {
		if !l.atSrc {
			return nil
		}
		x := l.cells.total()
		all.all, all.again = all.all+x.all, all.again+x.again
	}
	return new(percent(all.again, all.all))
}

func percent(part, all int64) float64 {
	if all == 0 {
		return 0
	}
	return 100 * float64(part) / float64(all)
}
