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

// startInfo is what the beginnings of two captures tell before both are read.
type startInfo struct {
	clockLead int64 // about how far the clock of the second capture is ahead, ns
	swapped   bool  // the host of the second capture sends most of the data
}

// maxBatchesCompared is in how many batches of each capture a packet that is in both
// is looked for.
const maxBatchesCompared = 128

// enoughMatches is how many packets must be in both captures: where one capture begins
// later, its first retransmissions equal packets that were sent long before.
const enoughMatches = 256

// batchesForSender is how many batches more are compared to see which host sends most
// of the data.
const batchesForSender = 16

// packetKey is what a packet has in common in both captures. NAT may change addresses.
type packetKey struct {
	seq, ack seq.Wire
	tsval    uint32
	length   uint32
	flags    packet.Flags
}

// compareStarts reads the beginnings of both captures and compares the times of packets
// that are in both. Without such packets it takes the clocks to agree roughly.
func compareStarts(ctx context.Context, o Options) (out startInfo, err error) {
	if slices.Contains(o.Paths, "-") || slices.Contains(o.Receiver, "-") {
		return out, nil // can be read only once
	}
	var readers [2]*startReader
	for i, paths := range [2][]string{o.Paths, o.Receiver} {
		g := &startReader{seen: map[packetKey]int64{}}
		one := o
		one.Paths, one.Progress = paths, nil
		if g.reader, err = open(ctx, one); err != nil {
			return out, err
		}
		defer g.close()
		// seen finds duplicates, so that the decoder needs no memory for that.
		g.decoder = decode.New(decode.Options{Decap: o.Decap, KeepDuplicates: true})
		g.clock = nil
		readers[i] = g
	}
	var diffs [2][]int64 // second less first, by direction: from the lesser endpoint, from the greater
	var sent [2]int64
	after := 0
	for n := 0; n < maxBatchesCompared && after < batchesForSender && ctx.Err() == nil; n++ {
		more := false
		for i, g := range readers {
			ok, err := g.read()
			if err != nil {
				return out, nil // the analysis itself will fail with it
			}
			more = more || ok
			g.compare(readers[1-i], i == 1, &diffs, &sent)
		}
		if len(diffs[0]) > 0 && len(diffs[1]) > 0 && len(diffs[0])+len(diffs[1]) >= enoughMatches {
			after++
		}
		if !more || !o.Swap && after > 0 {
			break
		}
	}
	lesser, okL := median(diffs[0])
	greater, okG := median(diffs[1])
	if !okL || !okG {
		return startInfo{clockLead: lesser + greater}, nil
	}
	out.clockLead = (lesser + greater) / 2
	firstAtLesser := lesser > greater
	out.swapped = sent[0] > sent[1] != firstAtLesser
	return out, nil
}

// median returns the median; false if there are no values.
func median(v []int64) (int64, bool) {
	if len(v) == 0 {
		return 0, false
	}
	slices.Sort(v)
	return v[len(v)/2], true
}

// startReader reads the beginning of one capture.
type startReader struct {
	*reader
	b     batch
	seen  map[packetKey]int64 // time by packet; bounded by maxBatchesCompared
	ended bool
}

// read reads one batch.
func (g *startReader) read() (more bool, err error) {
	g.b.n, g.b.payload = 0, g.b.payload[:0]
	if g.ended {
		return false, nil
	}
	err = g.fillStride(&g.b)
	if errors.Is(err, io.EOF) {
		g.ended, err = true, nil
	}
	return !g.ended, err
}

// compare looks the packets of the latest batch up in the other capture. It adds the
// differences of their times to diffs and their payload in bytes to sent, by direction.
func (g *startReader) compare(o *startReader, second bool, diffs *[2][]int64, sent *[2]int64) {
	for i := range g.b.n {
		s := &g.b.segs[i]
		dir := 0
		if c := bytes.Compare(s.Src.Addr[:], s.Dst.Addr[:]); c > 0 || c == 0 && s.Src.Port > s.Dst.Port {
			dir = 1
		}
		k := packetKey{s.Seq, s.Ack, s.TSVal, s.PayloadLen, s.Flags}
		if _, dup := g.seen[k]; dup {
			continue
		}
		g.seen[k] = s.Time
		t, ok := o.seen[k]
		if !ok {
			continue
		}
		sent[dir] += int64(s.PayloadLen)
		if second {
			diffs[dir] = append(diffs[dir], s.Time-t)
		} else {
			diffs[dir] = append(diffs[dir], t-s.Time)
		}
	}
}
