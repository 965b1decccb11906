package dss

import (
	"math"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/seq"
)

func TestPosition(t *testing.T) {
	type number struct {
		wire uint64
		wide bool
		want seq.DSN
	}
	const near32 = 1<<32 - 100 // 100 below the wrap of the lower half
	for _, tt := range []struct {
		name    string
		idsn    uint64
		numbers []number
	}{
		{"8 bytes", 1000, []number{{1001, true, 1}, {1500, true, 500}, {999, true, -1}}},
		{"8 bytes across 2^64", math.MaxUint64 - 9, []number{{math.MaxUint64, true, 9}, {0, true, 10}, {90, true, 100}}},
		{"4 bytes across 2^32", 7<<32 + near32, []number{{near32 + 1, false, 1}, {0, false, 100}, {near32, false, 0}}},
		{"4 and 8 bytes mixed", 7<<32 + near32, []number{{7<<32 + near32 + 50, true, 50}, {20, false, 120}, {8<<32 + 30, true, 130}}},
	} {
		var sp probe
		sp.SetIDSN(tt.idsn)
		for _, n := range tt.numbers {
			if got, ok := sp.Position(n.wire, n.wide); !ok || got != n.want {
				t.Errorf("%s: Position(%#x, 8 bytes %v) = %d, %v, want %d", tt.name, n.wire, n.wide, got, ok, n.want)
			}
			if abs, ok := sp.Absolute(n.want); !ok || abs != tt.idsn+uint64(n.want) {
				t.Errorf("%s: Absolute(%d) = %#x, %v", tt.name, n.want, abs, ok)
			}
		}
	}
}

// 4-byte numbers are followed over many wraps of their 2^32 positions.
func TestPositionFollowsManyWraps(t *testing.T) {
	var sp probe
	sp.SetIDSN(5<<32 + 77)
	sub := sp.NewSubflow(0)
	const step = 1 << 30
	for i := seq.DSN(1); i < 20*step; i += step {
		p, ok := sp.Position(uint64(uint32(5<<32+77+uint64(i))), false)
		assert.Assert(t, ok && p == i, "position %d came out as %d, %v", i, p, ok)
		// One byte is enough to move the window.
		sp.Map(sub, mapping(seq.SSN(i), p, 1), nil)
		sp.Carry(sub, segment(seq.SSN(i), 1, 1))
	}
}

func TestPositionRefusesStrays(t *testing.T) {
	var sp probe
	sp.SetIDSN(0)
	if _, ok := sp.Position(1<<31+2, true); ok {
		t.Error("a number 2^31+1 above the window was taken")
	}
	if p, ok := sp.Position(1<<31+1, true); !ok || p != 1<<31+1 {
		t.Errorf("a number 2^31 above the window: %d, %v", p, ok)
	}
}

func TestUnknownOrigin(t *testing.T) {
	const first = 9<<32 + 500
	t.Run("the first number is position 1", func(t *testing.T) {
		var sp probe
		p, ok := sp.Position(first, true)
		assert.Check(t, p == 1 && ok, "first number at %d", p)
		base, wide, known := sp.Base()
		assert.Check(t, base == first-1 && wide && known, "base %#x, wide %v, known %v", base, wide, known)
	})
	t.Run("a later 8-byte number tells the upper half", func(t *testing.T) {
		var sp probe
		sp.Position(500, false)
		if _, ok := sp.Absolute(1); ok {
			t.Error("4 bytes tell no absolute number")
		}
		p, _ := sp.Position(first+20, true)
		assert.Check(t, p == 21, "8-byte number at %d, want 21", p)
		if abs, ok := sp.Absolute(1); !ok || abs != first {
			t.Errorf("absolute number %#x, %v, want %#x", abs, ok, uint64(first))
		}
	})
	t.Run("a key that comes later", func(t *testing.T) {
		var sp probe
		sp.Position(500, false) // of data that begins 10 bytes after the IDSN
		sp.SetIDSN(first - 10)
		if p, ok := sp.Position(first-10, true); p != -9 || !ok {
			t.Errorf("IDSN at %d, want -9", p)
		}
		if abs, ok := sp.Absolute(1); !ok || abs != first {
			t.Errorf("absolute number %#x, %v, want %#x", abs, ok, uint64(first))
		}
	})
}

// Data below the first number that was seen, and the DATA_ACKs for it, have
// positions below 1.
func TestDataBelowUnknownOrigin(t *testing.T) {
	var sp probe
	sub := sp.NewSubflow(0)
	at, _ := sp.Position(10_000, true)
	sp.Map(sub, mapping(1001, at, 100), nil)
	sp.Carry(sub, segment(1001, 100, 1))
	below, _ := sp.Position(9_000, true) // 1000 bytes below
	sp.Map(sub, mapping(1, below, 300), nil)
	sp.Carry(sub, segment(1, 300, 2))
	if sp.Bytes != 400 || sp.OutstandingBytes != 400 || below != -999 {
		t.Errorf("bytes %d, waiting %d, position %d, want 400, 400, -999", sp.Bytes, sp.OutstandingBytes, below)
	}
	ack, _ := sp.Position(9_200, true)
	if news, covered := sp.DataAck(ack, 3); !news || len(covered) != 0 || sp.OutstandingBytes != 200 {
		t.Errorf("DATA_ACK inside the lower run: news %v, %d chunks, %d bytes wait, want 200", news, len(covered), sp.OutstandingBytes)
	}
	ack, _ = sp.Position(10_100, true)
	if _, covered := sp.DataAck(ack, 4); len(covered) != 2 || sp.OutstandingBytes != 0 {
		t.Errorf("DATA_ACK above all: %d chunks, %d bytes wait", len(covered), sp.OutstandingBytes)
	}
}

func TestDataFIN(t *testing.T) {
	sp, sub := oneSubflow()
	sp.Map(sub, mapping(1, 1, 100), nil)
	sp.Carry(sub, segment(1, 100, 1))
	assert.Check(t, sp.DataFIN(101) && !sp.DataFIN(101), "the first DATA_FIN is news, its repetition is not")
	sp.DataAck(101, 2)
	assert.Check(t, !sp.FINAcked(), "a DATA_ACK of the data alone acknowledges no DATA_FIN")
	sp.DataAck(102, 3)
	if !sp.FINAcked() || sp.SndNxt() != 101 {
		t.Errorf("DATA_FIN acknowledged %v, end of data %d; the DATA_FIN is no data", sp.FINAcked(), sp.SndNxt())
	}
}
