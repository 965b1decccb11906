package engine

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"

	"mpanalyze/internal/decode"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// sight is what the beginnings of two captures tell before they are read
// together.
type sight struct {
	rough int64 // about how far the second one's clock is ahead, ns
	swap  bool  // most of the data is sent by the host of the second one
}

// glances is how many batches of each capture are looked at for a packet that
// is in both.
const glances = 128

// enoughLooks is how many packets must look alike before that is believed:
// where one capture begins later, its first retransmissions look like what was
// sent long before.
const enoughLooks = 256

// enoughCommon is how many batches are looked at from then on to see who sends
// the data.
const enoughCommon = 16

// look is what a packet looks like in both captures, whatever its addresses.
type look struct {
	seq, ack seq.Wire
	tsval    uint32
	length   uint32
	flags    packet.Flags
}

// glance reads the beginnings of both captures, for the packets that are in
// both. Without any the clocks are taken to agree roughly.
func glance(ctx context.Context, o Options) (out sight, err error) {
	if slices.Contains(o.Paths, "-") || slices.Contains(o.Receiver, "-") {
		return out, nil // can be read only once
	}
	var readers [2]*glancer
	for i, paths := range [2][]string{o.Paths, o.Receiver} {
		g := &glancer{seen: map[look]int64{}}
		one := o
		one.Paths, one.Progress = paths, nil
		if g.pipeline, err = open(ctx, one); err != nil {
			return out, err
		}
		defer g.close()
		// A second sight of a packet is told by its looks, without the memory that
		// the decoder would take for that.
		g.decoder = decode.New(decode.Options{Decap: o.Decap, KeepDuplicates: true})
		g.clock = nil
		readers[i] = g
	}
	var diffs [2][]int64 // second less first, by direction: from the lesser endpoint, from the greater
	var octets [2]int64
	after := 0
	for n := 0; n < glances && after < enoughCommon && ctx.Err() == nil; n++ {
		more := false
		for i, g := range readers {
			ok, err := g.read()
			if err != nil {
				return out, nil // the analysis itself will meet it, and say so
			}
			more = more || ok
			g.compare(readers[1-i], i == 1, &diffs, &octets)
		}
		if len(diffs[0]) > 0 && len(diffs[1]) > 0 && len(diffs[0])+len(diffs[1]) >= enoughLooks {
			after++
		}
		if !more || !o.Swap && after > 0 {
			break
		}
	}
	lesser, okL := middle(diffs[0])
	greater, okG := middle(diffs[1])
	if !okL || !okG {
		return sight{rough: lesser + greater}, nil
	}
	out.rough = (lesser + greater) / 2
	firstAtLesser := lesser > greater
	out.swap = octets[0] > octets[1] != firstAtLesser
	return out, nil
}

// middle returns the median, 0 of none.
func middle(v []int64) (int64, bool) {
	if len(v) == 0 {
		return 0, false
	}
	slices.Sort(v)
	return v[len(v)/2], true
}

// glancer looks at the beginning of one capture.
type glancer struct {
	*pipeline
	b     batch
	seen  map[look]int64 // bounded by glances
	ended bool
}

// read reads one batch.
func (g *glancer) read() (more bool, err error) {
	g.b.n, g.b.payload = 0, g.b.payload[:0]
	if g.ended {
		return false, nil
	}
	err = g.fill(&g.b)
	if errors.Is(err, io.EOF) {
		g.ended, err = true, nil
	}
	return !g.ended, err
}

// compare looks the packets of the latest batch up in the other capture.
func (g *glancer) compare(o *glancer, second bool, diffs *[2][]int64, octets *[2]int64) {
	for i := range g.b.n {
		s := &g.b.segs[i]
		dir := 0
		if c := bytes.Compare(s.Src.Addr[:], s.Dst.Addr[:]); c > 0 || c == 0 && s.Src.Port > s.Dst.Port {
			dir = 1
		}
		k := look{s.Seq, s.Ack, s.TSVal, s.PayloadLen, s.Flags}
		if _, dup := g.seen[k]; dup {
			continue
		}
		g.seen[k] = s.Time
		t, ok := o.seen[k]
		if !ok {
			continue
		}
		octets[dir] += int64(s.PayloadLen)
		if second {
			diffs[dir] = append(diffs[dir], s.Time-t)
		} else {
			diffs[dir] = append(diffs[dir], t-s.Time)
		}
	}
}
