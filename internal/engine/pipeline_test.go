package engine

import (
	"bytes"
	"io"
	"net/netip"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

// Payload that is kept must not accumulate in a batch, however long the packets are, and
// none of it may be lost if a batch ends early.
func TestBatchOfSuperSegments(t *testing.T) {
	const segments, length = 300, 60_000 // 18 MB in less than a batch of segments
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: segments})
	f := s.Subflow(tracegen.Path{
		A: netip.MustParseAddrPort("192.0.2.1:1000"), B: netip.MustParseAddrPort("192.0.2.2:80"), ISN: [2]seq.Wire{1, 2},
	})
	h := f.Open(0)
	at := h.Established()
	for i := range segments {
		f.Data(tracegen.A2B, at+time.Duration(i)*time.Microsecond, int64(i)*length, length)
	}
	var file bytes.Buffer
	assert.NilError(t, s.Network().Write(&file, tracegen.HostA, tracegen.Format{}))
	p, err := open(t.Context(), Options{Paths: []string{"-"}, Stdin: &file})
	assert.NilError(t, err)
	defer p.close()
	p.keepPayload = true
	var want []byte
	b, offset, most := newBatch(batchSize), int64(0), 0
	for end := false; !end; {
		*b = batch{segs: b.segs, payload: b.payload[:0]}
		switch err := p.fillStride(b); err {
		case nil:
		case io.EOF:
			end = true
		default:
			t.Fatal(err)
		}
		most = max(most, len(b.payload))
		for i := range b.n {
			got := b.segs[i].Payload
			want = tracegen.AppendStream(want[:0], tracegen.A2B, offset, len(got))
			assert.Assert(t, bytes.Equal(got, want), "payload from %d on is not what was sent", offset)
			offset += int64(len(got))
		}
	}
	assert.Check(t, offset == segments*length, "%d bytes of payload, %d were sent", offset, segments*length)
	assert.Check(t, most <= batchPayload+length && most >= batchPayload, "a batch held %d bytes, want no more than a packet over %d", most, batchPayload)
}
