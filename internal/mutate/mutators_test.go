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

// TestMappingChecksum: a changed DSN under a right DSS checksum leaves it right: DSN, SSN, length,
// checksum and data together add up to all ones (RFC 8684, Section 3.3.1).
func TestMappingChecksum(t *testing.T) {
	dsn := Mutators[slices.IndexFunc(Mutators, func(m Mutator) bool { return m.Name == "DSN" })]
	totals := func(c *Capture) (all []uint16, numbers []string) {
		c.each(func(h *header) {
			for _, o := range h.mptcp() {
				if m, ok := mappingOf(o); ok && m.sumsAt > 0 {
					all = append(all, fold(uint64(m.sum())+uint64(binary.BigEndian.Uint16(o[m.sumsAt:]))))
					numbers = append(numbers, string(o[m.dsn:m.ssn]))
				}
			}
		})
		return all, numbers
	}
	want, before := totals(read(t, whole))
	tried := 0
	for seed := range uint64(6) {
		got, after := totals(mutated(t, dsn, seed))
		if !slices.Equal(got, want) {
			t.Errorf("seed %d: the sums were %x and are %x", seed, want, got)
		}
		for i := range after {
			if after[i] != before[i] {
				tried++
			}
		}
	}
	if tried == 0 {
		t.Error("no mapping with a checksum was changed")
	}
}
