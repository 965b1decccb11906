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

// startInfo is what the beginnings of two captures show, before both are read as a
// whole.
type startInfo struct {
	clockLead int64 // about how far the clock of the second capture is ahead, ns
	swapped   bool  // the host of the second capture sends most of the data
	same      bool  // both files are copies of one capture
	flows     map[flowKey]*startFlow
}

// flowKey is the endpoints of a flow in the first capture, the lesser first.
type flowKey [2]packet.Endpoint

// startFlow is what the beginnings of both captures show of one flow.
type startFlow struct {
	diffs [2][]int64 // time of a packet in the second capture minus its time in the first, by direction: from the lesser endpoint, from the greater
	sent  [2]int64   // payload in bytes, by direction
}

// sentAtFirst returns the direction that the host of the first capture sends: its
// packets come later in the second capture. known is false if both captures share
// packets of only one direction.
func (f *startFlow) sentAtFirst() (direction int, known bool) {
	lesser, okL := median(f.diffs[0])
	greater, okG := median(f.diffs[1])
	if greater > lesser {
		direction = 1
	}
	return direction, okL && okG
}

// maxBatchesCompared is how many batches of each capture are searched for packets that
// are in both.
const maxBatchesCompared = 128

// enoughMatches is how many packets must be in both captures. A few are not enough: if
// one capture begins later, its first retransmissions are equal to packets that were
// sent long before.
const enoughMatches = 256

// batchesForSender is how many further batches are compared to find out which host
// sends most of the data.
const batchesForSender = 16

// packetKey holds the fields of a packet that are equal in both captures. NAT may
// change addresses.
type packetKey struct {
	seq, ack seq.Wire
	tsval    uint32
	length   uint32
	flags    packet.Flags
}

// seenPacket is where and when a packet was captured first.
type seenPacket struct {
	file int
	time int64 // ns
	flow flowKey
	dir  int // 0 from the lesser endpoint to the greater, 1 back
}

// keyOf returns the key by which the same packet is found in another file, and where and when this
// file has it.
func keyOf(s *packet.Segment, file int) (packetKey, seenPacket) {
	here := seenPacket{file: file, time: s.Time, flow: flowKey{s.Src, s.Dst}}
	if c := bytes.Compare(s.Src.Addr[:], s.Dst.Addr[:]); c > 0 || c == 0 && s.Src.Port > s.Dst.Port {
		here.flow, here.dir = flowKey{s.Dst, s.Src}, 1
	}
	return packetKey{s.Seq, s.Ack, s.TSVal, s.PayloadLen, s.Flags}, here
}

// beginning reads the first packets of files.
type beginning struct {
	*reader
	left int   // packets that may still be read; not above 0 at the end
	time int64 // time of the latest packet, ns
}

// openBeginning opens files whose first packets are compared with those of others. The comparison
// finds duplicates, so the decoder need not find them, and the times stay as they are.
func openBeginning(ctx context.Context, o Options, paths []string, packets int) (*beginning, error) {
	o.Paths, o.Receiver, o.Progress = paths, nil, nil
	r, err := openFiles(ctx, o)
	if err != nil {
		return nil, err
	}
	r.decoder, r.clock = decode.New(decode.Options{Decap: o.Decap, KeepDuplicates: true}), nil
	return &beginning{reader: r, left: packets}, nil
}

// read fills b anew with the next packets, up to a stride.
func (r *beginning) read(b *batch) error {
	b.n, b.payload = 0, b.payload[:0]
	if r.left <= 0 {
		return nil
	}
	r.left -= stride
	err := r.fillStride(b)
	if err != nil {
		r.left = 0
	}
	if b.n > 0 {
		r.time = b.segs[b.n-1].Time
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// compareStarts reads the beginnings of both captures and compares the times of packets
// that are in both. Without such packets it assumes that the clocks agree roughly.
func compareStarts(ctx context.Context, o Options) (out startInfo, err error) {
	if slices.Contains(o.Paths, "-") || slices.Contains(o.Receiver, "-") {
		return out, nil // standard input can be read only once
	}
	var readers [2]*startReader
	for i, paths := range [2][]string{o.Paths, o.Receiver} {
		g := &startReader{seen: map[packetKey]seenPacket{}}
		if g.beginning, err = openBeginning(ctx, o, paths, maxBatchesCompared*stride); err != nil {
			return out, err
		}
		defer g.close()
		readers[i] = g
	}
	out.flows = map[flowKey]*startFlow{}
	var matches [2]int // by direction
	b := newBatch(stride)
	for after := 0; after < batchesForSender && ctx.Err() == nil; {
		for i, g := range readers {
			if g.read(b) != nil {
				return startInfo{}, nil // the analysis itself will fail with this error
			}
			g.compare(b, readers[1-i], i == 1, out.flows, &matches)
		}
		if matches[0] > 0 && matches[1] > 0 && matches[0]+matches[1] >= enoughMatches {
			after++
		}
		if readers[0].left <= 0 && readers[1].left <= 0 || !o.Swap && after > 0 {
			break
		}
	}
	out.conclude()
	return out, nil
}

// conclude combines what the flows show. The address of a host may be the lesser or the
// greater endpoint, so each flow shows separately which of its directions the host of
// the first capture sends.
func (x *startInfo) conclude() {
	var all, first, second []int64
	var sent [2]int64 // bytes sent by the host of the first capture, and by the other host
	for _, f := range x.flows {
		all = slices.Concat(all, f.diffs[0], f.diffs[1])
		if d, known := f.sentAtFirst(); known {
			first, second = append(first, f.diffs[d]...), append(second, f.diffs[1-d]...)
			sent[0], sent[1] = sent[0]+f.sent[d], sent[1]+f.sent[1-d]
		}
	}
	there, ok := median(first)
	back, _ := median(second)
	if !ok {
		x.clockLead, _ = median(all)
		return
	}
	x.same = constant(all)
	x.clockLead = (there + back) / 2
	x.swapped = sent[1] > sent[0]
}

// constant reports whether all packets take the same time from one capture to the
// other. Then both files are copies of one capture, perhaps with another resolution of
// timestamps. Between hosts the time varies, even if both are on one machine.
func constant(diffs []int64) bool {
	const packets, resolution = 8, 1000 // ns
	return len(diffs) >= packets && slices.Max(diffs)-slices.Min(diffs) <= resolution
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
	*beginning
	seen map[packetKey]seenPacket // bounded by maxBatchesCompared
}

// compare searches the other capture for the packets of the latest batch, and adds
// those that are in both to their flows.
func (g *startReader) compare(b *batch, o *startReader, second bool, flows map[flowKey]*startFlow, matches *[2]int) {
	for i := range b.n {
		s := &b.segs[i]
		k, here := keyOf(s, 0)
		if _, dup := g.seen[k]; dup {
			continue
		}
		g.seen[k] = here
		there, ok := o.seen[k]
		if !ok {
			continue
		}
		if second { // NAT may change addresses: take the flow of the first capture
			here, there = there, here
		}
		f := flows[here.flow]
		if f == nil {
			f = &startFlow{}
			flows[here.flow] = f
		}
		f.sent[here.dir] += int64(s.PayloadLen)
		f.diffs[here.dir] = append(f.diffs[here.dir], there.time-here.time)
		matches[here.dir]++
	}
}
