package capture

import (
	"encoding/binary"
	"slices"
	"testing"
)

// TestClassicZeros: zeros where records should be are damage with its place, whether
// they begin between two records or inside the header of one.
func TestClassicZeros(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		samples := someSamples(5)
		whole, starts := classic(order, magicMicro, 1, samples)
		for _, zeros := range []int{recordHeaderLen, 1000, 1 << 20} {
			packets, s := readBytes(t, slices.Concat(whole, make([]byte, zeros)))
			wantDamage(t, s, len(packets), 5, len(whole), "zeros where packets should be")
		}
		for keep := range 9 { // up to 8 bytes of the header: the time and no lengths
			packets, s := readBytes(t, slices.Concat(whole[:starts[4]+keep], make([]byte, 1<<16)))
			wantDamage(t, s, len(packets), 4, starts[4], "zeros where packets should be")
		}
		hole := slices.Clone(whole)
		clear(hole[starts[2]:])
		packets, s := readBytes(t, hole)
		wantDamage(t, s, len(packets), 2, starts[2], "zeros where packets should be")
	}
}

// TestClassicEmptyPackets: a record with a time and a length of 0 is a packet, and so is a packet
// of which nothing was captured, at any place in the file.
func TestClassicEmptyPackets(t *testing.T) {
	full := payload(1, 60)
	samples := []sample{
		{sec: 5, wire: 0},
		{sec: 6, wire: 60, data: full},
		{sec: 7, wire: 0},
		{sec: 7, wire: 0},
		{sec: 0, wire: 60, data: full},
		{sec: 0, wire: 1500},
		{sec: 8, wire: 0},
	}
	file, _ := classic(binary.LittleEndian, magicMicro, 1, samples)
	packets, s := readBytes(t, file)
	if len(packets) != len(samples) || s.Damage() != nil {
		t.Fatalf("%d of %d packets, damage %v", len(packets), len(samples), s.Damage())
	}
	for i, p := range packets {
		want := samples[i]
		if p.Data != string(want.data) || p.WireLen != int(want.wire) || p.Num != uint64(i+1) || p.Time != int64(want.sec)*1e9+int64(want.frac)*1000 {
			t.Errorf("packet %d: %+v, want %+v", i+1, p, want)
		}
	}
}

// TestNGZeros: zeros behind the last block of a pcapng file are damage, too.
func TestNGZeros(t *testing.T) {
	packets, s := readBytes(t, append(new(ng).section(binary.LittleEndian).file, make([]byte, 1<<16)...))
	wantDamage(t, s, len(packets), 0, 32, "a block of type 0 claims an impossible length")
}
