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
	"mpanalyze/internal/decode"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
)

const (
	// batchSize is how many segments pass from the reader to the tracker at
	// once. At each hand-over one of the two waits and has to be woken: with
	// 256 segments that took a tenth of the CPU time of an analysis, with 2048
	// it is not to be told from one goroutine doing all of it.
	batchSize = 2048
	// batches is how many batches there are; the reader waits when none is free,
	// which bounds the memory: 1.4 MB without payload.
	batches = 3
	// stride is how many packets are read between two looks at the context,
	// each with a word to the progress line.
	stride = 256
	// runLen is how many packets are read in a row, then decoded and put in order:
	// few enough to stay in the processor's nearest cache meanwhile.
	runLen = 32
	// batchPayload is how many bytes of kept payload make a batch full before
	// it has all its segments: super-segments are of up to 512 KiB.
	batchPayload = 2 << 20
	// payloadRoom is the room for that, made at once: memory that is never
	// reached costs nothing, memory that is outgrown is copied and left behind.
	payloadRoom = batchPayload + batchPayload/4
)

// batch is a run of segments and the payload that they keep.
type batch struct {
	segs    [batchSize]packet.Segment
	n       int
	settled int // so many of them are in order and have the right time
	payload []byte
}

// pipeline reads and decodes, mostly in one goroutine, while another tracks.
type pipeline struct {
	options Options
	source  *capture.Source
	decoder *decode.Decoder
	filter  *filter.Filter
	keep    bool // payload is wanted: for a stream, or for checksums once one is in use
	skipped []skips
	clock   *clockstep.Watch // nil where nobody looks for steps of the clock
	copies  copies
	held    batchEnd
	room    int // how many segments a batch takes
	unmade  int // batches that may still be made; of the reader
	free    chan *batch
	full    chan *batch
	packets int64

	near   capture.Records // the packets at hand
	taken  int             // how many of them are decoded
	raw    capture.Raw     // the packet at hand where there is no run, and scratch
	single bool            // there is such a packet
}

// skips counts the packets of one file that take no part, by outcome.
type skips [8]int64

const filtered = 7 // in skips, after the decoder's outcomes

func open(ctx context.Context, o Options) (*pipeline, error) {
	p := &pipeline{options: o, decoder: decode.New(decode.Options{Decap: o.Decap})}
	if o.Filter != "" {
		f, err := filter.Compile(o.Filter)
		if err != nil {
			return nil, err
		}
		p.filter = f
	}
	stdin := o.Stdin
	if stdin != nil && slices.Contains(o.Paths, "-") {
		stdin = interrupted(ctx, stdin)
	}
	source, err := capture.Open(o.Paths, capture.Options{Stdin: stdin})
	if err != nil {
		return nil, err
	}
	p.source = source
	if !o.FileOrder {
		p.clock = clockstep.New(clockstep.Options{Coarse: len(o.Receiver) > 0})
	}
	p.skipped = make([]skips, len(o.Paths))
	p.free, p.full = make(chan *batch, batches), make(chan *batch, batches)
	p.unmade, p.room = batches, batchSize
	p.near.Frames = make([]capture.Frame, 0, runLen)
	return p, nil
}

func (p *pipeline) close() { p.source.Close() }

// read fills batches until the captures end, and passes them on.
func (p *pipeline) read(ctx context.Context, pass func(*batch)) error {
	for {
		b := p.empty()
		b.n, b.settled, b.payload = 0, 0, b.payload[:0]
		p.held.release(b)
		err := p.load(ctx, b)
		if err == nil {
			p.held.take(b)
		} else {
			p.settle(b, b.n, true)
		}
		pass(b)
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}

// empty returns a batch to be filled. Short captures take fewer than there may
// be.
func (p *pipeline) empty() *batch {
	if p.unmade > 0 && len(p.free) == 0 {
		p.unmade--
		return new(batch)
	}
	return <-p.free
}

// load fills b as far as another stride fits into it.
func (p *pipeline) load(ctx context.Context, b *batch) error {
	for b.n <= p.room-stride && len(b.payload) < batchPayload {
		err := p.fill(b)
		p.progress()
		switch {
		case err == io.EOF:
			return err
		case ctx.Err() != nil: // which may be why err is
			return fmt.Errorf("stopped after packet %d: %w", p.packets, context.Cause(ctx))
		case err != nil:
			return err
		}
	}
	return nil
}

// fill decodes the packets of a stride into b, which has room for as many
// segments, or fewer where their payload makes it full.
func (p *pipeline) fill(b *batch) error {
	for read := 0; read < stride && len(b.payload) < batchPayload; {
		if p.taken == len(p.near.Frames) && !p.single {
			if err := p.readOn(); err != nil {
				return err
			}
		}
		begun := b.n
		read += p.decode(b, stride-read)
		p.settle(b, begun, false)
	}
	return nil
}

// decode decodes at most so many of the packets at hand into b, until their payload
// makes it full, and returns of how many it made use.
func (p *pipeline) decode(b *batch, most int) int {
	before := p.packets
	if p.single {
		p.single = false
		p.decodeOne(b, &p.raw)
		return 1
	}
	end := min(len(p.near.Frames), p.taken+most)
	for p.taken < end && len(b.payload) < batchPayload {
		if p.filter == nil && !p.keep {
			n := p.decoder.DecodeRecords(&p.near, p.taken, b.segs[b.n:b.n+end-p.taken])
			b.n += n
			p.taken += n
			p.packets += int64(n)
			if p.taken == end {
				break
			}
		}
		p.near.Raw(p.taken, &p.raw)
		p.taken++
		p.decodeOne(b, &p.raw)
	}
	return int(p.packets - before)
}

// decodeOne decodes a packet of any kind.
func (p *pipeline) decodeOne(b *batch, raw *capture.Raw) {
	p.packets++
	if p.filter != nil && !p.filter.Match(raw) {
		p.skipped[raw.File][filtered]++
		return
	}
	s := &b.segs[b.n]
	if outcome := p.decoder.Decode(raw, s); outcome != decode.TCP {
		p.skipped[raw.File][outcome]++
		return
	}
	if p.keep = p.keep || usesChecksums(s); p.keep {
		p.retain(b, raw, s)
	}
	b.n++
}

// readOn reads the packets that come next, at least one.
func (p *pipeline) readOn() error {
	p.taken = 0
	if p.source.Records(&p.near) {
		return nil
	}
	err := p.source.Next(&p.raw)
	p.single = err == nil
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	return err
}

// retain copies the payload: the reader's buffer is valid only until the next
// packet.
func (p *pipeline) retain(b *batch, raw *capture.Raw, s *packet.Segment) {
	if s.PayloadLen == 0 {
		s.SetPayload(nil)
		return
	}
	if b.payload == nil {
		b.payload = make([]byte, 0, payloadRoom)
	}
	at := len(b.payload)
	b.payload = append(b.payload, p.decoder.Payload(raw, s)...)
	s.SetPayload(b.payload[at:len(b.payload):len(b.payload)])
}

// usesChecksums reports whether a segment shows that DSS checksums are in use,
// so that payload is worth keeping from here on.
func usesChecksums(s *packet.Segment) bool {
	return s.DSS.Has(mptcp.DSSChecksum) || s.OtherLen > 0 && asksForChecksums(s) // no DSS, no flags
}

// asksForChecksums reports whether an MP_CAPABLE option of a segment does.
func asksForChecksums(s *packet.Segment) (yes bool) {
	mptcp.Walk(s.OtherMPTCP(), func(sub mptcp.Subtype, opt []byte) bool {
		var c mptcp.Capable
		yes = yes || sub == mptcp.SubCapable && mptcp.ParseCapable(opt, &c) == nil && c.ChecksumRequired()
		return !yes
	})
	return yes
}

func (p *pipeline) progress() {
	if g := p.options.Progress; g != nil {
		done, total := p.source.Progress()
		g.Bytes.Store(done)
		g.Total.Store(total)
		g.Packets.Store(p.packets)
	}
}
