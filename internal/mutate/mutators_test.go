package mutate

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

// whole is a capture of whole packets on Ethernet with right checksums.
const whole = "../../testdata/sessions/v1/h-csum-flip-two/client.pcap.zst"

func read(t *testing.T, name string) *Capture {
	t.Helper()
	c, err := Read(name, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
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
		if !bytes.Equal(file(0), file(0)) {
			t.Errorf("%s: two files of one seed differ", name)
		}
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

// rightSum reports whether the TCP checksum of a packet is right: the sum over pseudo header and
// segment is then all ones (RFC 9293, Section 3.1).
func rightSum(h *header) bool {
	from, to := h.addresses()
	s := sum(from) + sum(to) + 6 + uint32(len(h.bytes())) + sum(h.bytes())
	return fold(uint64(s)) == 0xffff
}

// TestChecksums: after a change of options or of the TCP header, the checksum is right where it
// was right before.
func TestChecksums(t *testing.T) {
	keeping := []string{
		"option kind", "option length", "option byte", "options twice", "no options of MPTCP", "no options of the SYN", "keys", "DSN", "SSN", "mapping length",
		"DATA_ACK", "timestamps", "sequence number", "all later sequence numbers", "windows of 0", "reset", "directions exchanged",
	}
	sound := map[string]bool{} // by payload and identification
	id := func(h *header) string { return string(h.p.Frame[h.ip+4:h.ip+6]) + string(h.p.Frame[h.data:]) }
	c := read(t, whole)
	c.each(func(h *header) {
		if rightSum(h) {
			sound[id(h)] = true
		}
	})
	if len(sound) < 50 {
		t.Fatalf("%d right checksums of %d packets are too few", len(sound), len(c.Packets))
	}
	for _, m := range Mutators {
		if !slices.Contains(keeping, m.Name) {
			continue
		}
		for seed := range uint64(6) {
			c := mutated(t, m, seed)
			c.each(func(h *header) {
				if sound[id(h)] && !rightSum(h) {
					t.Errorf("%s, seed %d: a checksum is wrong", m.Name, seed)
				}
			})
		}
	}
}

// TestMappingChecksum: a changed DSN under a right DSS checksum leaves it right: DSN, SSN, length,
// checksum and data together add up to all ones (RFC 8684, Section 3.3.1).
func TestMappingChecksum(t *testing.T) {
	dsn := Mutators[slices.IndexFunc(Mutators, func(m Mutator) bool { return m.Name == "DSN" })]
	tried := 0
	for seed := range uint64(6) {
		before, after := read(t, whole), mutated(t, dsn, seed)
		for i := range before.Packets {
			a, ok := find(before.Link, &before.Packets[i])
			b, both := find(after.Link, &after.Packets[i])
			if !ok || !both || len(a.mptcp()) != 1 {
				continue
			}
			x, ok := mappingOf(a.mptcp()[0])
			y, _ := mappingOf(b.mptcp()[0])
			if !ok || x.sumsAt == 0 || bytes.Equal(x.option, y.option) {
				continue
			}
			tried++
			if total := func(m mapping) uint16 {
				return fold(uint64(sum(m.option[m.dsn:m.sumsAt])) + uint64(binary.BigEndian.Uint16(m.option[m.sumsAt:])))
			}; total(x) != total(y) {
				t.Fatalf("seed %d, packet %d: the sum was %x and is %x", seed, i+1, total(x), total(y))
			}
		}
	}
	if tried == 0 {
		t.Error("no mapping with a checksum was changed")
	}
}
