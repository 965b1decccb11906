package mutate

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/capture"
)

// Mutation is a capture that is being changed.
type Mutation struct {
	*Capture
	R     *rand.Rand
	Other func() *Capture // another capture, to splice with
}

// Mutator is one kind of change of the packets.
type Mutator struct {
	Name   string
	Change func(*Mutation)
}

// FileMutator is one kind of change of the bytes of a file.
type FileMutator struct {
	Name   string
	Change func(r *rand.Rand, file []byte) []byte
}

// Mutators are the changes of packets.
var Mutators = []Mutator{
	{"option kind", someOption(func(m *Mutation, o []byte) { o[0] = oneOf(m.R, 0, 1, 2, 3, 4, 5, 8, 30, 34, byte(m.R.Uint32())) })},
	{"option length", someOption(func(m *Mutation, o []byte) {
		o[1] = oneOf(m.R, 0, 1, 2, 3, o[1]-1, o[1]+1, o[1]+2, 40, 255, byte(m.R.Uint32()))
	})},
	{"option subtype", someOption(func(m *Mutation, o []byte) {
		if len(o) > 2 {
			o[2] = byte(m.R.IntN(16))<<4 | o[2]&15
		}
	})},
	{"option flags", someOption(func(m *Mutation, o []byte) {
		if len(o) > 3 {
			o[2+m.R.IntN(2)] ^= 1 << m.R.IntN(4)
		}
	})},
	{"option byte", someOption(func(m *Mutation, o []byte) {
		if len(o) > 2 {
			o[2+m.R.IntN(len(o)-2)] = byte(m.R.Uint32())
		}
	})},
	{"options twice", optionsTwice},
	{"no options of MPTCP", func(m *Mutation) { m.some(func(h *header) { h.setOptions(h.without(kindMPTCP)) }) }},
	{"no options of the SYN", noSYNOptions},
	{"keys", keys},
	{"DSN", mappingField(func(x mapping) (at, size int) { return x.dsn, x.dsnSize })},
	{"SSN", mappingField(func(x mapping) (at, size int) { return x.ssn, 4 })},
	{"mapping length", mappingLength},
	{"DATA_ACK", mappingField(func(x mapping) (at, size int) { return x.ack, x.ackSize })},
	{"timestamps", timestamps},
	{"sequence number", tcpNumber(4)},
	{"all later sequence numbers", laterSequence},
	{"acknowledgment", tcpNumber(8)},
	{"windows of 0", someTCP(func(_ *Mutation, h *header) { binary.BigEndian.PutUint16(h.bytes()[14:], 0) })},
	{"reset", someTCP(func(_ *Mutation, h *header) { *h.flags() |= rst })},
	{"FIN", someTCP(func(_ *Mutation, h *header) { *h.flags() |= fin })},
	{"SYN", someTCP(func(_ *Mutation, h *header) { *h.flags() |= syn })},
	{"no flags", someTCP(func(m *Mutation, h *header) { *h.flags() &= byte(m.R.Uint32()) })},
	{"directions exchanged", someTCP(func(_ *Mutation, h *header) { h.exchange() })},
	{"lengths of 0", zeroLengths},
	{"times of 0", timesZero},
	{"times before 1970", func(m *Mutation) { m.shift(0, -m.begin()-oneOf(m.R, 1, second, 10*year, 140*year)) }},
	{"times in the far future", func(m *Mutation) { m.shift(0, oneOf(m.R, 12*year, 80*year, 90*year)) }},
	{"times backwards", timesBackwards},
	{"equal times", timesEqual},
	{"one packet late", oneLate},
	{"a pause of 100 years", func(m *Mutation) { m.shift(m.place(), 100*year) }},
	{"the clock is set", func(m *Mutation) { by := m.wait(); m.shift(m.place(), oneOf(m.R, by, -by)) }},
	{"packets twice", twice},
	{"packets lost", lost},
	{"another order", reordered},
	{"one direction only", oneDirection},
	{"snapshot length", func(m *Mutation) { m.Format.Snap = oneOf(m.R, 1, 20, 40, 54, 66, 70, 90, 96, 128) }},
	{"another link type", func(m *Mutation) {
		m.Link = oneOf[capture.LinkType](m.R, 0, linkEthernet, linkRaw, linkSLL, linkSLL2, 105, 228, 229, 65535)
	}},
	{"VLAN tags", func(m *Mutation) { m.transform(ethernet(tagged(0x8100, uint16(m.R.Uint32())))) }},
	{"tunnel", func(m *Mutation) { m.transform(tunnelled(oneOf(m.R, inIP, inGRE))) }},
	{"interfaces", func(m *Mutation) {
		n := 1 + m.R.IntN(4)
		for i := range m.Packets {
			m.Packets[i].Iface = m.R.IntN(n)
		}
		m.Format.NG = true
	}},
	{"cut packets", func(m *Mutation) {
		m.some(func(h *header) { h.p.Frame = h.p.Frame[:m.R.IntN(len(h.p.Frame)+1)] })
	}},
	{"another capture behind it", appended},
	{"another capture in between", interleaved},
}

// FileMutators are the changes of files.
var FileMutators = []FileMutator{
	{"cut file", func(r *rand.Rand, file []byte) []byte { return file[:r.IntN(len(file)+1)] }},
	{"bytes", flipBytes},
	{"blocks in another order", blocksReordered},
	{"blocks twice", blocksTwice},
	{"length of a block", blockLength},
	{"option of a block", blockOption},
	{"statistics", statistics},
	{"two files", func(_ *rand.Rand, file []byte) []byte { return append(file, file...) }},
}

// oneOf returns one of several values.
func oneOf[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

// some calls f with the packets of TCP that a random choice takes: one, a few, or each with a
// chance.
func (m *Mutation) some(f func(h *header)) {
	share := oneOf(m.R, 0.01, 0.05, 0.3, 1)
	one := -1
	if m.R.IntN(2) == 0 && len(m.Packets) > 0 {
		one = m.R.IntN(len(m.Packets))
	}
	for i := range m.Packets {
		if i != one && (one >= 0 || m.R.Float64() >= share) {
			continue
		}
		if h, ok := find(m.Link, &m.Packets[i]); ok {
			f(&h)
		}
	}
}

// someTCP returns a function that changes some packets.
func someTCP(change func(m *Mutation, h *header)) func(*Mutation) {
	return func(m *Mutation) { m.some(func(h *header) { change(m, h) }) }
}

// transform applies what is a transformation of whole captures to some packets.
func (m *Mutation) transform(change func(*Transformed) bool) {
	m.some(func(h *header) {
		one := &Transformed{Capture: &Capture{Link: m.Link, Packets: []Packet{*h.p}}}
		if change(one) {
			*h.p = one.Packets[0]
		}
	})
}

// odd returns a distance at which comparisons of sequence numbers change their result, or a
// small one.
func (m *Mutation) odd() uint64 {
	n := oneOf(m.R, 1, 1<<16, 1<<31, 1<<32, 1<<63, m.R.Uint64(), m.R.Uint64N(3000), 1448)
	n += m.R.Uint64N(3) - 1
	return oneOf(m.R, n, -n)
}

// whole is a capture of whole packets on Ethernet with right checksums.
const whole = "../../testdata/sessions/v1/h-csum-flip-two/client.pcap.zst"

func read(t *testing.T, name string) *Capture {
	t.Helper()
	c, err := Read(name, 0, 100)
	assert.NilError(t, err)
	return c
}

// mutated applies a mutator with a seed.
func mutated(t *testing.T, m Mutator, seed uint64) *Capture {
	t.Helper()
	c := read(t, whole)
	m.Change(&Mutation{Capture: c, R: rand.New(rand.NewPCG(seed, 2)), Other: func() *Capture { return read(t, whole) }})
	return c
}

// TestEveryMutator: each changes the file with some seed, and equal seeds make equal files.
func TestEveryMutator(t *testing.T) {
	differs := func(name string, file func(seed uint64) []byte, sound []byte) {
		assert.Check(t, bytes.Equal(file(0), file(0)), "%s: two files of one seed differ", name)
		for seed := range uint64(8) {
			if !bytes.Equal(file(seed), sound) {
				return
			}
		}
		t.Errorf("%s changes nothing", name)
	}
	sound, ng := read(t, whole), read(t, whole)
	ng.Format.NG = true
	for _, m := range Mutators {
		differs(m.Name, func(seed uint64) []byte { return mutated(t, m, seed).Bytes() }, sound.Bytes())
	}
	for _, m := range FileMutators {
		differs(m.Name, func(seed uint64) []byte { return m.Change(rand.New(rand.NewPCG(seed, 3)), ng.Bytes()) }, ng.Bytes())
	}
}

// TestMappingChecksum: a changed DSN, SSN or length under a right DSS checksum leaves it right: DSN,
// SSN, length, checksum and data together add up to all ones (RFC 8684, Section 3.3.1).
func TestMappingChecksum(t *testing.T) {
	totals := func(c *Capture) (all []uint16) {
		c.each(func(h *header) {
			for _, o := range h.mptcp() {
				if m, ok := mappingOf(o); ok && m.sumsAt > 0 {
					all = append(all, fold(uint64(m.sum())+uint64(binary.BigEndian.Uint16(o[m.sumsAt:]))))
				}
			}
		})
		return all
	}
	want := totals(read(t, whole))
	for _, m := range Mutators {
		for seed := range uint64(6) {
			if !slices.Contains([]string{"DSN", "SSN", "mapping length"}, m.Name) {
				continue
			}
			if got := totals(mutated(t, m, seed)); !slices.Equal(got, want) || len(want) < 10 {
				t.Errorf("%s, seed %d: the sums of %d mappings were %x and are %x", m.Name, seed, len(want), want, got)
			}
		}
	}
}
