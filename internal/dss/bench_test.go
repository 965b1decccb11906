package dss

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/seq"
)

// flow is a steady bulk transfer over two subflows, with the calls for one data packet and
// its acknowledgment.
type flow struct {
	sp      probe
	subs    [2]*SubflowSpace
	ssn     [2]seq.SSN
	dsn     seq.DSN
	now     int64
	order   int
	payload []byte
	settled int
}

const flowSegment = 1400

func newFlow(payload []byte) *flow {
	f := &flow{dsn: 1, ssn: [2]seq.SSN{1, 1}, payload: payload}
	f.sp.SetIDSN(1 << 40)
	f.sp.OnSettled(func(_ *SubflowSpace, run []Chunk) { f.settled += len(run) })
	for i := range f.subs {
		f.subs[i] = f.sp.NewSubflow(i)
	}
	return f
}

func (f *flow) step() {
	f.now++
	i := f.now % 2
	sub, at := f.subs[i], f.ssn[i]
	f.sp.Reset()
	m := mapping(at, f.dsn, flowSegment)
	p := Payload{Range: m.SSN, New: true, SegmentBytes: flowSegment, Packet: uint64(f.now), Time: f.now}
	if f.payload != nil {
		p.Bytes = f.payload
		f.sp.Map(sub, m, &Checksum{DSN: 1<<40 + uint64(f.dsn), SSN: uint32(at), Length: flowSegment, Value: 1})
	} else {
		f.sp.Map(sub, m, nil)
		f.sp.Map(sub, m, nil) // as Linux repeats it
	}
	f.sp.place(sub, &p)
	f.order += len(f.sp.InOrder(f.now))
	f.ssn[i] += flowSegment
	f.dsn += flowSegment
	f.sp.Acked(sub, m.SSN, f.now)
	f.sp.SubflowUna(sub, f.ssn[i])
	f.sp.DataAck(f.dsn, f.now)
	f.sp.EndPacket()
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	for name, payload := range map[string][]byte{"plain": nil, "with checksums": make([]byte, flowSegment)} {
		f := newFlow(payload)
		for range 3 * 2048 {
			f.step()
		}
		before := f.settled
		n := testing.AllocsPerRun(5000, f.step)
		assert.Check(t, n == 0, "%s: %v allocations per packet", name, n)
		assert.Check(t, f.settled-before >= 5000 && f.sp.OutstandingBytes == 0, "%s: %d chunks settled, %d bytes wait", name, f.settled-before, f.sp.OutstandingBytes)
	}
}

func BenchmarkSpace(b *testing.B) {
	for name, payload := range map[string][]byte{"plain": nil, "with checksums": make([]byte, flowSegment)} {
		b.Run(name, func(b *testing.B) {
			f := newFlow(payload)
			b.ReportAllocs()
			for b.Loop() {
				f.step()
			}
		})
	}
}
