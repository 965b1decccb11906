package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/capture/filter"
	"mpanalyze/internal/clockstep"
	"mpanalyze/internal/crash"
	"mpanalyze/internal/decode"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
)

const (
	// batchSize is how many segments pass from the reader to the tracker at once. Each
	// time, a goroutine waits and must be woken. With 256 segments that took a tenth of
	// the CPU time of an analysis. With 4096 an analysis takes 3 % less than with 2048.
	batchSize = 4096
	// numBatches is how many batches there are. The reader waits when it has none,
	// which bounds the memory: 3 MB without payload.
	numBatches = 3
	// stride is how many packets are read between two checks of the context, and
	// between two updates of the progress.
	stride = 256
	// runLen is how many segments are decoded, then put in order: few enough to stay in the
	// processor's nearest cache meanwhile.
	runLen = 32
	// batchPayload is how many bytes of payload make a batch full before it has all its
	// segments. A packet that a host's offload merged has up to 512 KiB.
	batchPayload = 2 << 20
)

// batch holds segments and their payload. One goroutine at a time owns it: the reader,
// until it sends it, or the tracker, until it sends it back.
type batch struct {
	segs    []packet.Segment // room for as many as the batch may have
	n       int              // how many segments there are
	seen    int              // how many segments putInOrder has seen
	ordered int              // how many segments are in order and have their final time
	payload []byte           // payload of the segments
}

// newBatch returns a batch with room for n segments.
func newBatch(n int) *batch { return &batch{segs: make([]packet.Segment, n)} }

// reader reads packets, decodes them and puts them in order. One goroutine at a time
// owns its fields: the caller of [open], then the reader's goroutine, and the caller
// again once full is closed. The channels free and full are for both, and returned is
// the tracker's.
type reader struct {
	options     Options
	source      *capture.Source
	decoder     *decode.Decoder
	filter      *filter.Filter // nil for none
	keepPayload bool           // for a stream, or for DSS checksums once a packet shows that they are in use
	skipped     []skips        // by file
	hashes      *fileHashes
	packets     int64       // packets that were read
	raw         capture.Raw // the latest of them

	// What puts packets in order.
	clock  *clockstep.Watch // nil if timestamps are not corrected
	copies copies
	order  timeOrder
	tail   batchTail

	open        *batch      // the batch that is being filled
	batchLimit  int         // how many segments a batch may have
	unallocated int         // how many more batches may be made
	free        chan *batch // batches from the tracker, to be filled again
	full        chan *batch // full batches for the tracker; closed at the end
	returned    []*batch    // batches that the tracker does not need any more and that are not in free yet; bounded by numBatches
	failure     error       // error that ended the reading before the end of the captures
}

// skips counts the packets of one file that are left out, by outcome.
type skips [9]int64

const filtered = 8 // in skips, after the decoder's outcomes

// open opens the captures of one host. It refuses captures of two hosts.
func open(ctx context.Context, o Options) (*reader, error) {
	if err := checkOneView(ctx, o); err != nil {
		return nil, err
	}
	r, err := openFiles(ctx, o)
	if err != nil {
		return nil, err
	}
	r.hashes = o.hashFiles(ctx, o.Paths)
	return r, nil
}

// openFiles opens files that may be of several hosts.
func openFiles(ctx context.Context, o Options) (*reader, error) {
	r := &reader{options: o, decoder: decode.New(decode.Options{Decap: o.Decap, Captured: o.Captured})}
	if o.Filter != "" {
		f, err := filter.Compile(o.Filter)
		if err != nil {
			return nil, err
		}
		r.filter = f
	}
	stdin := o.Stdin
	if stdin != nil && slices.Contains(o.Paths, "-") {
		in := interruptibleReader(ctx, stdin)
		if o.live != nil {
			in.idle, in.ticks = o.live.idle, o.live.ticks()
		}
		stdin = in
	}
	source, err := capture.Open(o.Paths, capture.Options{Stdin: stdin, Files: o.Files})
	if err != nil {
		return nil, err
	}
	r.source = source
	if !o.FileOrder {
		r.clock = clockstep.New(clockstep.Options{Coarse: len(o.Receiver) > 0})
	}
	r.skipped = make([]skips, len(o.Paths))
	r.free, r.full = make(chan *batch, numBatches), make(chan *batch, numBatches)
	r.unallocated, r.batchLimit = numBatches, batchSize
	return r, nil
}

func (r *reader) close() {
	if r.hashes != nil {
		r.hashes.cancel()
	}
	r.source.Close()
}

// readAll fills batches until the captures end, and passes them on.
func (r *reader) readAll(ctx context.Context, pass func(*batch)) error {
	for {
		b, err := r.nextBatch(ctx)
		pass(b)
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}

// nextBatch fills a batch. The error says that it is the last one, and why: io.EOF at
// the end of the captures.
func (r *reader) nextBatch(ctx context.Context) (*batch, error) {
	b := r.empty()
	b.n, b.payload = 0, b.payload[:0]
	r.tail.prependTo(b)
	r.open = b
	err := r.fillBatch(ctx, b)
	if err == nil {
		r.tail.cut(b)
	} else {
		r.putInOrder(b, true)
	}
	r.order.pass(b.segs[:b.n])
	return b, err
}

// batches returns a function that returns the next batch, and nil after the last one.
// failure is set by then. A goroutine of its own reads, or else the function does; then
// the batch that it returned before must be back in free.
func (r *reader) batches(ctx context.Context) func() *batch {
	if r.options.readsAndTracks() {
		return r.readHere(ctx)
	}
	go func() {
		defer close(r.full)
		defer crash.Catch()
		r.failure = r.readAll(ctx, func(b *batch) { r.full <- b })
	}()
	return func() *batch { return <-r.full }
}

// readHere is batches for the goroutine that tracks.
func (r *reader) readHere(ctx context.Context) func() *batch {
	r.batchLimit = smallBatch
	over := false
	return func() *batch {
		if over {
			return nil
		}
		b, err := r.nextBatch(ctx)
		if over = err != nil; err != io.EOF {
			r.failure = err
		}
		return b
	}
}

// giveBack takes a batch that the tracker does not need any more. It gives batches back to the
// reader only when at most one full batch waits. The reader is faster than the tracker, so it
// would otherwise sleep, and have to be woken, for each batch.
func (r *reader) giveBack(b *batch) {
	r.returned = append(r.returned, b)
	if len(r.full) > 1 {
		return
	}
	for _, b := range r.returned {
		r.free <- b
	}
	r.returned = r.returned[:0]
}

// eachBatch passes on all batches. It returns the error that ended the reading early.
func (r *reader) eachBatch(ctx context.Context, pass func(*batch)) error {
	next := r.batches(ctx)
	for b := next(); b != nil; b = next() {
		pass(b)
	}
	return r.failure
}

// handOver passes on the segments of the open batch that are in order. It is used while
// the next packet may not come for a long time. With all set it passes on all segments:
// then no later packet is moved before them, and jumps of the timestamps are judged
// without later packets.
func (r *reader) handOver(all bool, pass func([]packet.Segment)) {
	b := r.open
	if r.putInOrder(b, all); !all {
		r.tail.cut(b)
	}
	r.order.pass(b.segs[:b.n])
	pass(b.segs[:b.n])
	b.n, b.payload = 0, b.payload[:0]
	r.tail.prependTo(b)
}

// empty returns a batch to be filled. It makes a new one only if none has come back, so
// that short captures need few.
func (r *reader) empty() *batch {
	if r.unallocated > 0 && len(r.free) == 0 {
		r.unallocated--
		return newBatch(r.batchLimit)
	}
	return <-r.free
}

// fillBatch fills b while there is room for another stride.
func (r *reader) fillBatch(ctx context.Context, b *batch) error {
	for b.n <= r.batchLimit-stride && len(b.payload) < batchPayload {
		err := r.fillStride(b)
		r.progress()
		switch {
		case err == io.EOF:
			return err
		case ctx.Err() != nil: // err may be a result of this
			return fmt.Errorf("stopped after packet %d: %w", r.packets, context.Cause(ctx))
		case err != nil:
			return err
		}
	}
	return nil
}

// fillStride decodes a stride of packets into b, which has room for their segments, and puts some at a time in
// order. It ends early where payload makes the batch full.
func (r *reader) fillStride(b *batch) (err error) {
	for read := 0; read < stride && err == nil && len(b.payload) < batchPayload; read++ {
		if err = r.source.Next(&r.raw); err == nil {
			r.decode(b, &r.raw)
		}
		if b.n-b.seen >= runLen {
			r.putInOrder(b, false)
		}
	}
	r.putInOrder(b, false)
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	return err
}

// decode filters and decodes one packet, and copies its payload if that is wanted.
func (r *reader) decode(b *batch, raw *capture.Raw) {
	r.packets++
	if r.filter != nil && !r.filter.Match(raw) {
		r.skipped[raw.File][filtered]++
		return
	}
	s := &b.segs[b.n]
	outcome := r.decoder.Decode(raw, s)
	if outcome != decode.TCP {
		if r.skipped[raw.File][outcome]++; outcome == decode.ICMP { // the table looks for what it quotes
			b.n++
		}
		return
	}
	if raw.Uncountable {
		s.Have |= packet.Untimed | packet.ClockChanged
		s.Clock, s.ClockSet = packet.Uncountable, 0
	}
	r.keepPayload = r.keepPayload || usesChecksums(s)
	if r.keepPayload || s.Flags&packet.SYN != 0 && s.PayloadLen > 0 { // a SYN may ask a converter
		r.copyPayload(b, s)
	}
	b.n++
}

// copyPayload copies the payload into the batch: the buffer of the source is valid only
// until the next packet.
func (r *reader) copyPayload(b *batch, s *packet.Segment) {
	if s.PayloadLen == 0 {
		s.SetPayload(nil)
		return
	}
	at := len(b.payload)
	b.payload = append(b.payload, r.decoder.Payload(s)...)
	s.SetPayload(b.payload[at:len(b.payload):len(b.payload)])
}

// usesChecksums reports whether a segment shows that DSS checksums are in use. From
// then on payload is kept, to verify them.
func usesChecksums(s *packet.Segment) bool {
	return s.DSS.Has(mptcp.DSSChecksum) || s.OtherLen > 0 && asksForChecksums(s) // without a DSS its flags are 0
}

// asksForChecksums reports whether an MP_CAPABLE option of a segment requires
// checksums.
func asksForChecksums(s *packet.Segment) (yes bool) {
	mptcp.Walk(s.OtherMPTCP(), func(sub mptcp.Subtype, opt []byte) bool {
		var c mptcp.Capable
		yes = yes || sub == mptcp.SubCapable && mptcp.ParseCapable(opt, &c) == nil && c.ChecksumRequired()
		return !yes
	})
	return yes
}

// progress updates the progress.
func (r *reader) progress() {
	if g := r.options.Progress; g != nil {
		done, total := r.source.Progress()
		g.Bytes.Store(done)
		g.Total.Store(total)
		g.Packets.Store(r.packets)
	}
}
