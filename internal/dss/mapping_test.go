package dss

import (
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/seq"
)

// segment is n bytes of payload from ssn on, new to their subflow.
func segment(ssn seq.SSN, n int, packet uint64) *Payload {
	return &Payload{Range: seq.Range[seq.SSN]{Start: ssn, End: ssn + seq.SSN(n)}, New: true, SegmentBytes: 1000, Packet: packet, Time: int64(packet)}
}

func ranges(sub *SubflowSpace) (out [][3]int64) {
	sub.maps.drop()
	for at := sub.maps.list.First(); at != sub.maps.list.End(); at = sub.maps.list.Next(at) {
		m := sub.maps.at(at)
		out = append(out, [3]int64{int64(m.SSN.Start), int64(m.SSN.End), int64(m.DSN)})
	}
	return out
}

func TestMappingVerdicts(t *testing.T) {
	type step struct {
		ssn  seq.SSN
		dsn  seq.DSN
		n    int
		want Verdict
	}
	for _, tt := range []struct {
		name  string
		steps []step
		list  [][3]int64
	}{
		{"one after the other", []step{{1, 1, 100, NewMapping}, {101, 501, 50, NewMapping}}, [][3]int64{{1, 101, 1}, {101, 151, 501}}},
		{"repeated", []step{{1, 1, 100, NewMapping}, {1, 1, 100, RepeatedMapping}, {21, 21, 30, RepeatedMapping}}, [][3]int64{{1, 101, 1}}},
		{"longer", []step{{1, 1, 100, NewMapping}, {51, 51, 100, NewMapping}}, [][3]int64{{1, 101, 1}, {101, 151, 101}}},
		{"lower", []step{{101, 101, 100, NewMapping}, {51, 51, 100, NewMapping}}, [][3]int64{{51, 101, 51}, {101, 201, 101}}},
		{
			"around",
			[]step{{101, 101, 50, NewMapping}, {201, 201, 50, NewMapping}, {51, 51, 300, NewMapping}},
			[][3]int64{{51, 101, 51}, {101, 151, 101}, {151, 201, 151}, {201, 251, 201}, {251, 351, 251}},
		},
		{"contradicting", []step{{1, 1, 100, NewMapping}, {51, 9051, 20, ConflictingMapping}}, [][3]int64{{1, 101, 1}}},
		{"contradicting in part", []step{{1, 1, 100, NewMapping}, {51, 9051, 100, ConflictingMapping}}, [][3]int64{{1, 101, 1}, {101, 151, 9101}}},
		{"empty", []step{{1, 1, 0, RepeatedMapping}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sp, sub := oneSubflow()
			for _, s := range tt.steps {
				got, _ := sp.Map(sub, mapping(s.ssn, s.dsn, s.n), nil)
				assert.Check(t, got == s.want, "mapping of SSN %d: %v, want %v", s.ssn, got, s.want)
			}
			assert.Check(t, is.DeepEqual(ranges(sub), tt.list), "mappings")
		})
	}
}

// Payload gets its position whether its mapping comes before it, with it or after it, and
// however it is segmented.
func TestMappingBeforeOnAfter(t *testing.T) {
	for _, order := range []string{"MSS", "SMS", "SSM", "MSMSM"} {
		sp, sub := oneSubflow()
		next := seq.SSN(1)
		for _, step := range order {
			if step == 'M' {
				sp.Map(sub, mapping(1, 301, 200), nil)
			} else {
				sp.Carry(sub, segment(next, 100, uint64(next)))
				next += 100
			}
		}
		var at seq.DSN = 301
		for _, p := range sp.Pieces() {
			assert.Check(t, p.Kind == First && p.Data.Start == at && p.Packet == uint64(p.SSN) && p.SSN == seq.SSN(at-300), "%s: piece %+v, want data from %d", order, p, at)
			at = p.Data.End
		}
		if n, _ := sub.FirstUnmapped(); at != 501 || n != 0 || sp.Bytes != 200 || sub.MappedUnique() != 200 {
			t.Errorf("%s: data up to %d, %d runs wait, %d bytes", order, at, n, sp.Bytes)
		}
	}
}

// A segment may be under several mappings, and between them.
func TestPayloadAcrossMappings(t *testing.T) {
	sp, sub := oneSubflow()
	sp.Map(sub, mapping(1, 1, 100), nil)
	sp.Map(sub, mapping(151, 701, 100), nil)
	assert.Check(t, !sp.Carry(sub, segment(51, 300, 7)), "50 bytes have no mapping, and as many behind the last")
	want := []seq.Range[seq.DSN]{{Start: 51, End: 101}, {Start: 701, End: 801}}
	for i, p := range sp.Pieces() {
		assert.Check(t, p.Data == want[i], "piece %d carries %v, want %v", i, p.Data, want[i])
	}
	if n, first := sub.FirstUnmapped(); n != 2 || first.Start != 101 || first.End != 151 || first.Packet != 7 {
		t.Errorf("%d runs wait, first %v of packet %d", n, first.Range, first.Packet)
	}
	sub.DropUnmapped()
	if n, _ := sub.FirstUnmapped(); n != 0 || sub.UnmappedBytes != 50+100 {
		t.Errorf("%d runs wait, %d bytes unmapped, want 150", n, sub.UnmappedBytes)
	}
}

func TestInfinite(t *testing.T) {
	sp, sub := oneSubflow()
	sp.Map(sub, mapping(1, 1, 100), nil)
	sp.Map(sub, mapping(201, 501, 100), nil)
	infinite := Mapping{SSN: seq.Range[seq.SSN]{Start: 101, End: NoEnd}, DSN: 401}
	if v, _ := sp.Map(sub, infinite, nil); v != NewMapping {
		t.Errorf("verdict %v", v)
	}
	assert.Check(t, sp.Carry(sub, segment(101, 1000, 2)) && sp.SndNxt() == 1401, "data ends at %d, want 401 + 1000", sp.SndNxt())
	if at, ok := sub.InfiniteAt(1101); !ok || at != 1401 {
		t.Errorf("position of SSN 1101: %d, %v", at, ok)
	}
	if _, ok := sub.InfiniteAt(150); ok {
		t.Error("the part below a finite mapping is not without end")
	}
	if v, _ := sp.Map(sub, infinite, nil); v != RepeatedMapping {
		t.Errorf("the infinite mapping again: %v", v)
	}
	if v, _ := sp.Map(sub, mapping(500, 9000, 10), nil); v != ConflictingMapping {
		t.Errorf("a mapping after the infinite one: %v", v)
	}
}

func TestImpliedMapping(t *testing.T) {
	t.Run("without any mapping", func(t *testing.T) {
		sp, sub := oneSubflow()
		sp.Carry(sub, segment(1, 100, 1))
		sp.Implied(sub, 1)
		sp.Carry(sub, segment(101, 50, 2))
		assert.Check(t, sp.Bytes == 150 && sp.SndNxt() == 151, "%d bytes up to %d", sp.Bytes, sp.SndNxt())
	})
	t.Run("behind the last mapping, twice", func(t *testing.T) {
		sp, sub := oneSubflow()
		sp.Map(sub, mapping(1, 1001, 100), nil)
		sp.Map(sub, mapping(1, 5001, 100), nil) // contradicts the first mapping and must not move the end
		sp.Carry(sub, segment(1, 150, 1))
		sp.Implied(sub, 1)
		sp.Implied(sub, 2)
		assert.Check(t, sp.Bytes == 150 && sp.SndNxt() == 1151, "%d bytes up to %d, want 150 up to 1151", sp.Bytes, sp.SndNxt())
		at, ok := sub.InfiniteAt(151)
		assert.Check(t, ok && at == 1151, "position of SSN 151: %d, %v, want 1151", at, ok)
	})
	t.Run("without an origin", func(t *testing.T) {
		var sp probe
		sub := sp.NewSubflow(0)
		sp.Carry(sub, segment(1, 100, 1))
		sp.Implied(sub, 1)
		assert.Check(t, sp.Bytes == 100 && sp.SndNxt() == 101, "%d bytes up to %d", sp.Bytes, sp.SndNxt())
	})
}

// A keep-alive probe repeats a byte below the stream, which is not data that waits for a
// mapping. A copy of data that waits is.
func TestRetransmissionWithoutMapping(t *testing.T) {
	sp, sub := oneSubflow()
	probe := segment(0, 1, 1)
	probe.New = false
	sp.Carry(sub, probe)
	n, _ := sub.FirstUnmapped()
	assert.Check(t, n == 0, "a probe waits for a mapping")
	sp.Carry(sub, segment(1, 10, 2))
	again := segment(1, 10, 3)
	again.New = false
	sp.Carry(sub, again)
	sp.Map(sub, mapping(1, 1, 10), nil)
	if sub.MappedBytes() != 20 || sub.MappedUnique() != 10 || sp.Bytes != 10 {
		t.Errorf("mapped %d, unique %d, bytes %d, want 20, 10, 10", sub.MappedBytes(), sub.MappedUnique(), sp.Bytes)
	}
}

func TestMappingBounds(t *testing.T) {
	t.Run("descending", func(t *testing.T) {
		sp, sub := oneSubflow()
		for i := maxMappings + 10; i > 0; i-- {
			sp.Map(sub, mapping(seq.SSN(2*i), 1, 1), nil)
		}
		n := sub.maps.list.Len()
		assert.Check(t, n <= maxMappings, "%d mappings kept, bound %d", n, maxMappings)
	})
	t.Run("across many holes", func(t *testing.T) {
		sp, sub := oneSubflow()
		for i := range maxMappings - 1 {
			sp.Map(sub, mapping(seq.SSN(2*i+1), seq.DSN(2*i+1), 1), nil)
		}
		sp.Map(sub, mapping(1, 1, 4*maxMappings), nil)
		sp.Map(sub, mapping(9*maxMappings, 1, 1), nil)
		n := sub.maps.list.Len()
		assert.Check(t, n <= maxMappings, "%d mappings kept, bound %d", n, maxMappings)
	})
	t.Run("acknowledged", func(t *testing.T) {
		sp, sub := oneSubflow()
		for i := seq.SSN(1); i < 100*keepBehind; i += 10_000 {
			sp.Map(sub, mapping(i, seq.DSN(i), 10_000), nil)
			sp.SubflowUna(sub, i)
		}
		if n, most := sub.maps.list.Len(), keepBehind/10_000+3; n > most { // the latest acknowledgment drops its mapping later
			t.Errorf("%d mappings kept, want at most %d", n, most)
		}
	})
	t.Run("waiting runs", func(t *testing.T) {
		sp, sub := oneSubflow()
		for i := range 2 * maxPending {
			sp.Carry(sub, segment(seq.SSN(1+10*i), 10, 1))
		}
		if n, first := sub.FirstUnmapped(); n != maxPending || first.Start != 1+10*maxPending || sub.UnmappedBytes != 10*maxPending {
			t.Errorf("%d runs wait from %d on, %d bytes unmapped", n, first.Start, sub.UnmappedBytes)
		}
	})
	t.Run("waiting copies go first", func(t *testing.T) {
		sp, sub := oneSubflow()
		sp.Carry(sub, segment(1, 10, 1))
		for i := range 2 * maxPending {
			again := segment(1, 10, uint64(2+i))
			again.New = false
			sp.Carry(sub, again)
		}
		sp.Map(sub, mapping(1, 1, 10), nil)
		// The data and the copies that are left; everything else counts as unmapped.
		if want := int64(10 * (maxPending + 1)); sp.Bytes != 10 || sub.UnmappedBytes != want || sub.MappedBytes() != 10*maxPending {
			t.Errorf("%d bytes of data, %d unmapped, %d mapped; want 10, %d, %d", sp.Bytes, sub.UnmappedBytes, sub.MappedBytes(), want, 10*maxPending)
		}
	})
	t.Run("waiting bytes", func(t *testing.T) {
		sp, sub := oneSubflow()
		const size = maxPendingBytes / 8
		for i := range 20 {
			p := segment(seq.SSN(1+size*i), size, 1)
			p.Bytes = make([]byte, size)
			sp.Carry(sub, p)
		}
		n, _ := sub.FirstUnmapped()
		assert.Check(t, n == 8 && sub.pendingBytes == maxPendingBytes, "%d runs of %d bytes wait", n, sub.pendingBytes)
	})
}
