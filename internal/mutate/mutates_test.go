package mutate

import "math/rand/v2"

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
	{"option kind", optionKind},
	{"option length", optionLength},
	{"option subtype", optionSubtype},
	{"option flags", optionFlags},
	{"option byte", optionByte},
	{"options twice", optionsTwice},
	{"no options of MPTCP", noMPTCP},
	{"no options of the SYN", noSYNOptions},
	{"keys", keys},
	{"DSN", dssDSN},
	{"SSN", dssSSN},
	{"mapping length", dssLength},
	{"DATA_ACK", dataAck},
	{"timestamps", timestamps},
	{"sequence number", sequence},
	{"all later sequence numbers", laterSequence},
	{"acknowledgment", acknowledgment},
	{"windows of 0", zeroWindows},
	{"reset", func(m *Mutation) { setFlags(m, rst) }},
	{"FIN", func(m *Mutation) { setFlags(m, fin) }},
	{"SYN", func(m *Mutation) { setFlags(m, syn) }},
	{"no flags", noFlags},
	{"directions exchanged", exchanged},
	{"lengths of 0", zeroLengths},
	{"times of 0", timesZero},
	{"times before 1970", timesNegative},
	{"times in the far future", timesFuture},
	{"times backwards", timesBackwards},
	{"equal times", timesEqual},
	{"one packet late", oneLate},
	{"a pause of 100 years", longPause},
	{"the clock is set", clockSet},
	{"packets twice", twice},
	{"packets lost", lost},
	{"another order", reordered},
	{"one direction only", oneDirection},
	{"snapshot length", snapLength},
	{"another link type", linkType},
	{"VLAN tags", vlan},
	{"tunnel", tunnel},
	{"interfaces", interfaces},
	{"cut packets", cutPackets},
	{"another capture behind it", appended},
	{"another capture in between", interleaved},
}

// FileMutators are the changes of files.
var FileMutators = []FileMutator{
	{"cut file", cutFile},
	{"bytes", flipBytes},
	{"blocks in another order", blocksReordered},
	{"blocks twice", blocksTwice},
	{"length of a block", blockLength},
	{"option of a block", blockOption},
	{"statistics", statistics},
	{"two files", func(_ *rand.Rand, file []byte) []byte { return append(file, file...) }},
}

// some calls f with the packets of TCP that a random choice takes: one, a few, or each with a
// chance.
func (m *Mutation) some(f func(h *header)) {
	share := [...]float64{0.01, 0.05, 0.3, 1}[m.R.IntN(4)]
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

// odd returns a distance at which comparisons of sequence numbers change their result, or a
// small one.
func (m *Mutation) odd() uint64 {
	n := [...]uint64{1, 1 << 16, 1 << 31, 1 << 32, 1 << 63, m.R.Uint64(), m.R.Uint64N(3000), 1448}[m.R.IntN(8)]
	n += m.R.Uint64N(3) - 1
	if m.R.IntN(2) == 0 {
		return -n
	}
	return n
}
