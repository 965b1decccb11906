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
	sound := read(t, whole).Bytes()
	for _, m := range Mutators {
		changes := false
		for seed := range uint64(8) {
			file := mutated(t, m, seed).Bytes()
			changes = changes || !bytes.Equal(file, sound)
			if seed == 0 && !bytes.Equal(file, mutated(t, m, seed).Bytes()) {
				t.Errorf("%s: two files of one seed differ", m.Name)
			}
		}
		if !changes {
			t.Errorf("%s changes nothing", m.Name)
		}
	}
	ng := read(t, whole)
	ng.Format.NG = true
	for _, m := range FileMutators {
		changes := false
		for seed := range uint64(8) {
			file := m.Change(rand.New(rand.NewPCG(seed, 3)), ng.Bytes())
			changes = changes || !bytes.Equal(file, ng.Bytes())
		}
		if !changes {
			t.Errorf("%s changes nothing", m.Name)
		}
	}
}

// rightSum reports whether the TCP checksum of a packet is right: the sum over pseudo header and
// segment is then all ones (RFC 9293, Section 3.1).
func rightSum(h *header) bool {
	f := h.p.Frame
	s := sum(f[h.ip+12:h.ip+20]) + 6 + uint32(len(f)-h.tcp) + sum(f[h.tcp:])
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
	for i := range c.Packets {
		if h, ok := find(c.Link, &c.Packets[i]); ok && rightSum(&h) {
			sound[id(&h)] = true
		}
	}
	if len(sound) < 50 {
		t.Fatalf("%d right checksums of %d packets are too few", len(sound), len(c.Packets))
	}
	for _, m := range Mutators {
		if !slices.Contains(keeping, m.Name) {
			continue
		}
		for seed := range uint64(6) {
			c := mutated(t, m, seed)
			for i := range c.Packets {
				h, ok := find(c.Link, &c.Packets[i])
				if ok && sound[id(&h)] && !rightSum(&h) {
					t.Fatalf("%s, seed %d, packet %d: the checksum is wrong", m.Name, seed, i+1)
				}
			}
		}
	}
}

// TestMappingChecksum: a changed DSN under a right DSS checksum leaves it right: DSN, SSN, length,
// checksum and data together add up to all ones (RFC 8684, Section 3.3.1).
func TestMappingChecksum(t *testing.T) {
	tried := 0
	for seed := range uint64(6) {
		before, after := read(t, whole), mutated(t, Mutator{"DSN", dssDSN}, seed)
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
