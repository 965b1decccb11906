package dss

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/seq"
)

// The model keeps every byte separately and does not use ranges. It has few positions, so
// that ranges meet, overlap and repeat.
const (
	modelSubflows = 3
	modelSSN      = 90
	modelDSN      = 240
)

type modelByte struct {
	seen      bool
	early     bool // DATA_ACKed before it was seen: it makes no chunk
	carriers  [modelSubflows]bool
	seenAt    int64
	ackedAt   int64
	dackAt    int64
	orderedAt int64
}

type modelWait struct {
	sub int
	ssn seq.SSN
	new bool
	at  int64
}

type model struct {
	sp      probe
	subs    [modelSubflows]*SubflowSpace
	carrier int // subflow of the latest payload
	now     int64

	data    map[seq.DSN]*modelByte
	maps    [modelSubflows]map[seq.SSN]seq.DSN
	sent    [modelSubflows]map[seq.SSN]bool
	ends    [modelSubflows]seq.SSN // of the latest payload
	waiting []modelWait
	held    map[seq.DSN]bool
	ack     seq.DSN
	acked   bool
	nxt     seq.DSN

	first, again, same, mapped, unique [modelSubflows]int64

	chunks []Chunk
	quick  int // parts of payload that continued their subflow
	still  int // head-of-line chunks on the same subflow as the one before
}

func newModel() *model {
	m := &model{data: map[seq.DSN]*modelByte{}, held: map[seq.DSN]bool{}, nxt: 1}
	m.sp.SetIDSN(1000)
	for i := range m.subs {
		m.subs[i] = m.sp.NewSubflow(i)
		reserve(m.subs[i], 64) // without room no payload takes the fast path
		m.maps[i], m.sent[i] = map[seq.SSN]seq.DSN{}, map[seq.SSN]bool{}
	}
	return m
}

// announce maps n positions of a subflow from ssn on to the data from dsn on, in the space
// under test and, byte by byte, in the model.
func (m *model) announce(sub int, ssn seq.SSN, dsn seq.DSN, n int) error {
	verdict, want := RepeatedMapping, false
	for i := range n {
		p, d := ssn+seq.SSN(i), dsn+seq.DSN(i)
		old, known := m.maps[sub][p]
		switch {
		case !known:
			m.maps[sub][p] = d
			if verdict == RepeatedMapping {
				verdict = NewMapping
			}
		case old != d:
			verdict, want = ConflictingMapping, true
		}
	}
	if got, _ := m.sp.Map(m.subs[sub], mapping(ssn, dsn, n), nil); got != verdict || (got == ConflictingMapping) != want {
		return fmt.Errorf("Map(subflow %d, SSN %d, DSN %d, %d bytes) = %v, want %v", sub, ssn, dsn, n, got, verdict)
	}
	var rest []modelWait
	for _, w := range m.waiting {
		if !m.place(w) {
			rest = append(rest, w)
		}
	}
	m.waiting = rest
	return nil
}

// place counts one byte; it returns false if no mapping covers it.
func (m *model) place(w modelWait) bool {
	d, ok := m.maps[w.sub][w.ssn]
	if !ok {
		return false
	}
	m.mapped[w.sub]++
	if !w.new {
		return true
	}
	m.unique[w.sub]++
	o := m.data[d]
	if o == nil {
		o = &modelByte{}
		m.data[d] = o
	}
	if !o.seen {
		o.seen, o.seenAt = true, w.at
		o.early = m.acked && d < m.ack
		m.first[w.sub]++
		m.nxt = max(m.nxt, d+1)
	} else {
		m.again[w.sub]++
		alone := !o.early
		for l, c := range o.carriers {
			alone = alone && c == (l == w.sub)
		}
		if alone {
			m.same[w.sub]++
		}
	}
	o.carriers[w.sub] = true
	return true
}

// carry sends n bytes of a subflow from ssn on, divided like a subflow into new bytes and
// repeated ones.
func (m *model) carry(sub int, ssn seq.SSN, n int) {
	m.carrier = sub
	m.ends[sub] = ssn + seq.SSN(n) - 1
	for at := ssn; at < ssn+seq.SSN(n); {
		end := at
		for end < ssn+seq.SSN(n) && m.sent[sub][end] == m.sent[sub][at] {
			end++
		}
		fresh, covered := !m.sent[sub][at], true
		got, quick := m.sp.place(m.subs[sub], &Payload{
			Range: seq.Range[seq.SSN]{Start: at, End: end}, New: fresh, SegmentBytes: 10, Packet: uint64(m.now), Time: m.now,
		})
		if quick {
			m.quick++
		}
		for ; at < end; at++ {
			m.sent[sub][at] = true
			if w := (modelWait{sub, at, fresh, m.now}); !m.place(w) {
				m.waiting = append(m.waiting, w)
				covered = false
			}
		}
		if got != covered {
			panic(fmt.Sprintf("Carry of subflow %d up to %d reports covered = %v", sub, end, got))
		}
	}
}

// acknowledge acknowledges on a subflow those of n bytes that were sent.
func (m *model) acknowledge(sub int, ssn seq.SSN, n int) {
	for at := ssn; at < ssn+seq.SSN(n); at++ {
		if !m.sent[sub][at] {
			continue
		}
		m.sp.Acked(m.subs[sub], seq.Range[seq.SSN]{Start: at, End: at + 1}, m.now)
		d, ok := m.maps[sub][at]
		if !ok {
			continue
		}
		if o := m.data[d]; o != nil && o.ackedAt == 0 {
			o.ackedAt = m.now
		}
		if !m.acked || d >= m.ack {
			m.held[d] = true
		}
	}
}

func (m *model) dataAck(p seq.DSN) error {
	news := !m.acked || p > m.ack
	if got, _ := m.sp.DataAck(p, m.now); got != news {
		return fmt.Errorf("DataAck(%d) = %v after %d", p, got, m.ack)
	}
	if !news {
		return nil
	}
	m.ack, m.acked = p, true
	if p > m.nxt {
		m.nxt = p
	}
	for d, o := range m.data {
		if d < p && o.dackAt == 0 {
			o.dackAt = m.now
		}
	}
	for d := range m.held {
		if d < p {
			delete(m.held, d)
		}
	}
	return nil
}

// rcvNxt is the first position that is neither seen nor DATA_ACKed.
func (m *model) rcvNxt() seq.DSN {
	at := seq.DSN(1)
	for m.acked && at < m.ack || m.data[at] != nil && m.data[at].seen {
		at++
	}
	return at
}

// settle ends a step: it notes on both sides what is in order, and collects the chunks that
// ended.
func (m *model) settle(all bool) {
	m.sp.InOrder(m.now)
	rcvNxt := m.rcvNxt()
	for d, o := range m.data {
		if o.seen && o.orderedAt == 0 && d < rcvNxt {
			o.orderedAt = m.now
		}
	}
	ended, before := m.sp.settleDue, len(m.chunks)
	m.sp.settleInto(all, func(_ *SubflowSpace, run []Chunk) { m.chunks = append(m.chunks, run...) })
	if !all && !ended && len(m.chunks) > before {
		panic(fmt.Sprintf("step %d: chunks settled though no life ended", m.now))
	}
}

// compare compares every sum of the space with the model.
func (m *model) compare() error {
	var bytes, waiting int64
	for d, o := range m.data {
		if o.seen {
			bytes++
			if !m.acked || d >= m.ack {
				waiting++
			}
		}
	}
	type sum struct {
		name      string
		got, want int64
	}
	sums := []sum{
		{"Bytes", m.sp.Bytes, bytes},
		{"OutstandingBytes", m.sp.OutstandingBytes, waiting},
		{"SubflowAckedBytes", m.sp.SubflowAckedBytes, int64(len(m.held))},
		{"SndNxt", int64(m.sp.SndNxt()), int64(m.nxt)},
		{"RcvNxt", int64(m.sp.RcvNxt()), int64(m.rcvNxt())},
	}
	for i, sub := range m.subs {
		name := fmt.Sprintf("subflow %d ", i)
		sums = append(sums, sum{name + "FirstBytes", sub.FirstBytes, m.first[i]}, sum{name + "ReinjectedBytes", sub.ReinjectedBytes, m.again[i]},
			sum{name + "ReinjectedSame", sub.ReinjectedSame, m.same[i]}, sum{name + "MappedBytes", sub.MappedBytes(), m.mapped[i]},
			sum{name + "MappedUnique", sub.MappedUnique(), m.unique[i]})
	}
	for _, s := range sums {
		if s.got != s.want {
			return fmt.Errorf("step %d: %s = %d, want %d", m.now, s.name, s.got, s.want)
		}
	}
	return nil
}

// awaited checks that the space finds the chunk with the lowest unacknowledged byte if a
// chunk above it was acknowledged. It counts how often that chunk is on the same subflow as
// the one before.
func (m *model) awaited() error {
	at, top := seq.DSN(1), seq.DSN(0)
	if m.acked {
		at = m.ack
	}
	for m.held[at] {
		at++
	}
	for d := range m.held {
		top = max(top, d)
	}
	o := m.data[at]
	want := top > at && o != nil && o.seen && !o.early
	before := m.sp.headSubflow
	switch c := m.sp.HeadOfLine(); {
	case (c != nil) != want || want && (at < c.Data.Start || c.Data.End <= at):
		return fmt.Errorf("step %d: awaited %v, want %v: the chunk of %d", m.now, c, want, at)
	case c != nil && before == m.subs[c.Sub]:
		m.still++
	}
	return nil
}

// lives checks every chunk against its last byte, and that each byte that makes a chunk is
// in one chunk.
func (m *model) lives() error {
	lived := map[seq.DSN]bool{}
	for _, c := range m.chunks {
		last := m.data[c.Data.End-1]
		if c.FirstSeen != last.seenAt || c.Acked != last.ackedAt || c.DataAcked != last.dackAt || c.InOrder != last.orderedAt {
			return fmt.Errorf("chunk %v: seen %d acked %d data-acked %d in order %d, want %+v", c.Data, c.FirstSeen, c.Acked, c.DataAcked, c.InOrder, *last)
		}
		if !last.carriers[c.Sub] {
			return fmt.Errorf("chunk %v is said to be of subflow %d, which never carried it", c.Data, c.Sub)
		}
		for d := c.Data.Start; d < c.Data.End; d++ {
			if lived[d] {
				return fmt.Errorf("byte %d is in two chunks", d)
			}
			lived[d] = true
		}
	}
	for d, o := range m.data {
		if o.seen && !o.early && !lived[d] {
			return fmt.Errorf("byte %d is in no chunk", d)
		}
	}
	if m.sp.OutstandingSegments < 0 || m.sp.SubflowAckedSegments < 0 {
		return fmt.Errorf("units below zero: %d waiting, %d acknowledged", m.sp.OutstandingSegments, m.sp.SubflowAckedSegments)
	}
	return nil
}

// full reports whether one more operation might exceed the payload that a subflow keeps
// without a mapping, because the model has no bounds.
func (m *model) full() bool {
	for _, sub := range m.subs {
		if n, _ := sub.FirstUnmapped(); n > maxPending-64 {
			return true
		}
	}
	return false
}

// play runs operations of four bytes each.
func (m *model) play(script []byte) error {
	for m.now = 1; len(script) >= 4 && m.now < 400 && !m.full(); m.now++ {
		op, a, b, c := script[0], script[1], script[2], script[3]
		script = script[4:]
		m.sp.Reset()
		sub, ssn := int(op>>4)%modelSubflows, 1+seq.SSN(a)%modelSSN
		var err error
		switch op % 8 {
		case 0, 1:
			err = m.announce(sub, ssn, 1+seq.DSN(b)%modelDSN, 1+int(c)%40)
		case 2:
			m.carry(sub, ssn, 1+int(c)%30)
		case 3, 4: // where the subflow's latest payload ended
			m.carry(sub, 1+m.ends[sub]%modelSSN, 1+int(c)%30)
		case 5:
			m.acknowledge(sub, ssn, 1+int(c)%40)
		case 6:
			err = m.dataAck(1 + seq.DSN(b)%modelDSN)
		case 7: // the same data on another subflow: a reinjection
			other := (sub + 1) % modelSubflows
			n := 1 + int(c)%30
			if d, ok := m.maps[sub][ssn]; ok {
				if err = m.announce(other, 1+seq.SSN(b)%modelSSN, d, n); err == nil {
					m.carry(other, 1+seq.SSN(b)%modelSSN, n)
				}
			}
		}
		m.settle(false)
		if err == nil {
			err = m.compare()
		}
		if err == nil {
			err = m.awaited()
		}
		if err != nil {
			return err
		}
	}
	m.settle(true)
	return m.lives()
}

func mapping(ssn seq.SSN, dsn seq.DSN, n int) Mapping {
	return Mapping{SSN: seq.Range[seq.SSN]{Start: ssn, End: ssn + seq.SSN(n)}, DSN: dsn, Packet: 1}
}

func FuzzSpace(f *testing.F) {
	f.Add([]byte{0, 0, 0, 20, 2, 0, 0, 10, 2, 10, 0, 10, 5, 0, 0, 20, 6, 0, 20, 0})    // map, two segments, ACK, DATA_ACK
	f.Add([]byte{2, 0, 0, 10, 0, 0, 0, 20, 2, 5, 0, 10})                               // payload before its mapping, then an overlap
	f.Add([]byte{0, 0, 0, 30, 2, 0, 0, 29, 7, 5, 40, 10, 7, 0, 60, 20, 5, 5, 0, 3})    // reinjections
	f.Add([]byte{0, 10, 5, 10, 0, 30, 50, 10, 1, 0, 0, 39, 2, 0, 0, 29, 6, 0, 100, 0}) // a mapping across two that disagree
	f.Fuzz(func(t *testing.T, script []byte) {
		assert.Check(t, newModel().play(script))
	})
}

func TestAgainstModel(t *testing.T) {
	rounds := 1000
	if testing.Short() {
		rounds = 300
	}
	rng, quick, still := rand.New(rand.NewPCG(1, 2)), 0, 0
	for i := range rounds {
		script := make([]byte, 4*(1+rng.IntN(60)))
		for j := range script {
			script[j] = byte(rng.Uint32())
		}
		m := newModel()
		assert.NilError(t, m.play(script), "round %d, script %v", i, script)
		quick += m.quick
		still += m.still
	}
	assert.Check(t, quick >= rounds/20 && still >= rounds/2, "%d runs went the quick way, %d heads were where the one before was", quick, still)
}
