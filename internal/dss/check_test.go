package dss

import (
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/seq"
)

// checksum computes a DSS checksum byte by byte (RFC 8684, Section 3.3.1:
// the sum of RFC 1071 over a pseudo-header of the data sequence number, the
// subflow sequence number, the length and 16 bits of zero, and the data).
func checksum(dsn uint64, ssn uint32, length uint16, data []byte) uint16 {
	b := []byte{byte(dsn >> 56), byte(dsn >> 48), byte(dsn >> 40), byte(dsn >> 32), byte(dsn >> 24), byte(dsn >> 16), byte(dsn >> 8), byte(dsn)}
	b = append(b, byte(ssn>>24), byte(ssn>>16), byte(ssn>>8), byte(ssn), byte(length>>8), byte(length), 0, 0)
	b = append(b, data...)
	var sum uint32
	for i, v := range b {
		if i%2 == 0 {
			sum += uint32(v) << 8
		} else {
			sum += uint32(v)
		}
		sum = sum&0xffff + sum>>16
	}
	return ^uint16(sum)
}

func randomBytes(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// results adds one checked mapping of the data at SSN 11, DSN 101 and carries its parts in
// the order of cuts: start and end of each.
func results(data []byte, value uint16, length int, cuts [][2]int) (out []CheckResult, bad int, sub *SubflowSpace) {
	var sp probe
	sp.SetIDSN(1 << 40)
	sub = sp.NewSubflow(0)
	m := mapping(11, 101, len(data))
	m.Packet = 77
	_, checking := sp.Map(sub, m, &Checksum{DSN: 1<<40 + 101, SSN: 11, Length: uint16(length), Value: value})
	if !checking {
		return nil, 0, sub
	}
	for _, c := range cuts {
		p := segment(11+seq.SSN(c[0]), c[1]-c[0], 1)
		p.Bytes = data[c[0]:c[1]]
		sp.Carry(sub, p)
	}
	for _, k := range sp.Checks() {
		if k.Packet != 77 || k.SSN != 11 || k.DSN != 101 {
			return nil, 0, sub
		}
		out = append(out, k.Result)
	}
	for _, p := range sp.Pieces() {
		if p.Bad {
			bad++
		}
	}
	return out, bad, sub
}

func TestChecksum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 3, 100, 101} {
		data := randomBytes(rng, n)
		good := checksum(1<<40+101, 11, uint16(n), data)
		whole := [][2]int{{0, n}}
		if got, bad, _ := results(data, good, n, whole); len(got) != 1 || got[0] != CheckValid || bad != 0 {
			t.Errorf("%d bytes: %v, %d bad pieces, want valid", n, got, bad)
		}
		if got, bad, _ := results(data, good^0x0100, n, whole); len(got) != 1 || got[0] != CheckInvalid || bad != 1 {
			t.Errorf("%d bytes, wrong checksum: %v, %d bad pieces, want invalid", n, got, bad)
		}
		fin := checksum(1<<40+101, 11, uint16(n+1), data) // DATA_FIN counted in the length
		if got, _, _ := results(data, fin, n+1, whole); len(got) != 1 || got[0] != CheckValid {
			t.Errorf("%d bytes and DATA_FIN: %v, want valid", n, got)
		}
	}
}

// Pieces of odd lengths, in any order, overlapping and repeated, give the
// checksum of the whole; a flipped byte anywhere is found.
func TestChecksumOfPieces(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 9))
		n := 1 + rng.IntN(300)
		data := randomBytes(rng, n)
		var cuts [][2]int
		for at := 0; at < n; {
			end := min(n, at+1+rng.IntN(40))
			cuts = append(cuts, [2]int{max(0, at-rng.IntN(5)), end})
			at = end
		}
		for range rng.IntN(4) {
			cuts = append(cuts, cuts[rng.IntN(len(cuts))])
		}
		rng.Shuffle(len(cuts), func(i, j int) { cuts[i], cuts[j] = cuts[j], cuts[i] })
		good := checksum(1<<40+101, 11, uint16(n), data)
		if got, _, _ := results(data, good, n, cuts); len(got) != 1 || got[0] != CheckValid {
			t.Fatalf("seed %d: %d bytes in pieces %v: %v, want valid", seed, n, cuts, got)
		}
		data[rng.IntN(n)] ^= 1 << rng.IntN(8)
		if got, _, _ := results(data, good, n, cuts); len(got) != 1 || got[0] != CheckInvalid {
			t.Fatalf("seed %d: a flipped bit was not found: %v", seed, got)
		}
	}
}

func TestChecksumImpossible(t *testing.T) {
	sp, sub := oneSubflow()
	sp.Map(sub, mapping(1, 1, 10), &Checksum{DSN: 1, SSN: 1, Length: 10})
	p := segment(1, 10, 1)
	p.Bytes = []byte("short")
	sp.Carry(sub, p)
	if got := sp.Checks(); len(got) != 1 || got[0].Result != CheckImpossible || sp.Pieces()[0].Bad {
		t.Errorf("payload cut by the capture: %+v, want impossible and not bad", got)
	}
}

// Only the first announcement of a mapping is checked, and only if the mapping covers
// nothing but new positions, because a checksum is of the whole.
func TestWhatIsChecked(t *testing.T) {
	sp, sub := oneSubflow()
	want := &Checksum{DSN: 1, SSN: 1, Length: 10}
	var got []bool
	for _, m := range []Mapping{mapping(1, 1, 10), mapping(1, 1, 10), mapping(6, 6, 10), mapping(16, 16, 10)} {
		_, checking := sp.Map(sub, m, want)
		got = append(got, checking)
	}
	assert.Check(t, is.DeepEqual(got, []bool{true, false, false, true}), "new, repeated, overlapping, new")
}

// A piece says which checksum is pending. A piece of a mapping whose checksum failed is
// bad, also when it comes later.
func TestPiecesOfCheckedMapping(t *testing.T) {
	data := []byte("abcdefghij")
	sp, sub := oneSubflow()
	sp.Map(sub, mapping(1, 1, 10), &Checksum{DSN: 1, SSN: 1, Length: 10, Value: checksum(1, 1, 10, data) ^ 1})
	carry := func(from, to int, fresh bool) Piece {
		sp.Reset()
		p := segment(seq.SSN(1+from), to-from, 1)
		p.Bytes, p.New = data[from:to], fresh
		sp.Carry(sub, p)
		return sp.Pieces()[0]
	}
	first := carry(0, 5, true)
	assert.Check(t, first.CheckID != 0 && !first.Bad && len(sp.Checks()) == 0, "first half: %+v", first)
	second := carry(5, 10, true)
	if k := sp.Checks(); len(k) != 1 || k[0].ID != first.CheckID || k[0].Result != CheckInvalid || second.CheckID != first.CheckID {
		t.Errorf("second half: %+v settles %+v", second, k)
	}
	late := carry(2, 4, false)
	assert.Check(t, late.CheckID == 0 && late.Bad, "a copy after the verdict: %+v, want bad and nothing pending", late)
}

// The next check reuses the memory of a settled one; its sum begins at 0.
func TestChecksAreReused(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	sp, sub := oneSubflow()
	at := 1
	for range 50 {
		data := randomBytes(rng, 1+rng.IntN(50))
		sp.Reset()
		sp.Map(sub, mapping(seq.SSN(at), seq.DSN(at), len(data)),
			&Checksum{DSN: uint64(at), SSN: uint32(at), Length: uint16(len(data)), Value: checksum(uint64(at), uint32(at), uint16(len(data)), data)})
		p := segment(seq.SSN(at), len(data), 1)
		p.Bytes = data
		sp.Carry(sub, p)
		k := sp.Checks()
		assert.Assert(t, len(k) == 1 && k[0].Result == CheckValid, "mapping at %d: %+v", at, k)
		at += len(data)
	}
	assert.Check(t, len(sp.spareChecks) == 1, "%d checks made for one at a time", len(sp.spareChecks))
}

// A check of a mapping in more pieces than are kept gives up; its memory does not grow.
func TestChecksumHolesBound(t *testing.T) {
	data := make([]byte, 4*maxHoles)
	var cuts [][2]int
	for i := 0; i < len(data); i += 2 {
		cuts = append(cuts, [2]int{i, i + 1})
	}
	good := checksum(1<<40+101, 11, uint16(len(data)), data)
	got, _, _ := results(data, good, len(data), cuts)
	assert.Check(t, len(got) == 1 && got[0] == CheckImpossible, "%d pieces: %v, want impossible", len(cuts), got)
}
