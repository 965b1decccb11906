package engine

import (
	"context"
	"errors"
	"fmt"
	"io"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/capture/filter"
	"mpanalyze/internal/decode"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
)

const (
	// batchSize is how many segments pass from the reader to the tracker at
	// once: one channel operation per packet would cost more than decoding.
	batchSize = 256
	// batches is how many batches there are; the reader waits when none is
	// free, which bounds the memory.
	batches = 4
	// batchPayload is how many octets of kept payload make a batch full before
	// it has all its segments: super-segments are of up to 512 KiB.
	batchPayload = 4 << 20
)

// batch is a run of segments and the payload that they keep.
type batch struct {
	segs    [batchSize]packet.Segment
	n       int
	payload []byte
}

// pipeline reads and decodes in one goroutine and tracks in another.
type pipeline struct {
	options Options
	source  *capture.Source
	decoder *decode.Decoder
	filter  *filter.Filter
	keep    bool // payload is wanted: for a stream, or for checksums once one is in use
	snapped []int64
	skipped []skips
	free    chan *batch
	full    chan *batch
	packets int64
}

// skips counts the packets of one file that take no part, by outcome.
type skips [8]int64

const filtered = 7 // in skips, after the decoder's outcomes

func open(o Options) (*pipeline, error) {
	p := &pipeline{options: o, decoder: decode.New(decode.Options{Decap: o.Decap})}
	if o.Filter != "" {
		f, err := filter.Compile(o.Filter)
		if err != nil {
			return nil, err
		}
		p.filter = f
	}
	source, err := capture.Open(o.Paths, capture.Options{Stdin: o.Stdin})
	if err != nil {
		return nil, err
	}
	p.source = source
	p.snapped, p.skipped = make([]int64, len(o.Paths)), make([]skips, len(o.Paths))
	p.free, p.full = make(chan *batch, batches), make(chan *batch, batches)
	for range batches {
		p.free <- new(batch)
	}
	return p, nil
}

func (p *pipeline) close() { p.source.Close() }

// run gives every segment of the captures to track, in order, and returns
// what ended it before the end of the captures: the context or a failing read.
func (p *pipeline) run(ctx context.Context, track func(*packet.Segment)) error {
	var failure error
	go func() {
		defer close(p.full)
		failure = p.read(ctx)
	}()
	for b := range p.full {
		for i := range b.n {
			track(&b.segs[i])
		}
		p.free <- b
	}
	p.decoder.Finish()
	return failure
}

// read fills batches until the captures end.
func (p *pipeline) read(ctx context.Context) error {
	var raw capture.Raw
	for {
		b := <-p.free
		b.n, b.payload = 0, b.payload[:0]
		err := p.fill(b, &raw)
		p.full <- b
		p.progress()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return fmt.Errorf("stopped after packet %d: %w", raw.Num, context.Cause(ctx))
		}
	}
}

// fill decodes packets into b until it is full.
func (p *pipeline) fill(b *batch, raw *capture.Raw) error {
	// The limit counts packets read and not segments found, so that a
	// capture of other traffic does not starve the progress line.
	for read := 0; b.n < batchSize && len(b.payload) < batchPayload && read < 8*batchSize; read++ {
		if err := p.source.Next(raw); err != nil {
			if errors.Is(err, io.EOF) {
				return io.EOF
			}
			return err
		}
		p.packets++
		if raw.WireLen > len(raw.Data) {
			p.snapped[raw.File]++
		}
		if p.filter != nil && !p.filter.Match(raw) {
			p.skipped[raw.File][filtered]++
			continue
		}
		s := &b.segs[b.n]
		if outcome := p.decoder.Decode(raw, s); outcome != decode.TCP {
			p.skipped[raw.File][outcome]++
			continue
		}
		p.retain(b, s)
		b.n++
	}
	return nil
}

// retain copies the payload where it is wanted: the reader's buffer is valid
// only until the next packet.
func (p *pipeline) retain(b *batch, s *packet.Segment) {
	if !p.keep && s.RareLen|uint8(s.Have&packet.HasDSS) != 0 {
		p.keep = usesChecksums(s)
	}
	if !p.keep || s.PayloadLen == 0 {
		s.Payload = nil
		return
	}
	at := len(b.payload)
	b.payload = append(b.payload, s.Payload...)
	s.Payload = b.payload[at:len(b.payload):len(b.payload)]
}

// usesChecksums reports whether a segment shows that DSS checksums are in use,
// so that payload is worth keeping from here on.
func usesChecksums(s *packet.Segment) (yes bool) {
	if s.Have&packet.HasDSS != 0 && s.DSS.Has(mptcp.DSSChecksum) {
		return true
	}
	mptcp.Walk(s.RareOptions(), func(sub mptcp.Subtype, opt []byte) bool {
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
