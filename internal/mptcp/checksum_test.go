package mptcp

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"
)

// naive is the checksum as RFC 1071, Section 4.1 words it: 16-bit words one by
// one, the last byte filled up with zero, carries added at the end.
func naive(b []byte) uint16 {
	var sum uint64
	for ; len(b) >= 2; b = b[2:] {
		sum += uint64(binary.BigEndian.Uint16(b))
	}
	if len(b) == 1 {
		sum += uint64(b[0]) << 8
	}
	for sum>>16 != 0 {
		sum = sum&0xffff + sum>>16
	}
	return ^uint16(sum)
}

// pseudo is the pseudo-header of RFC 8684, Section 3.3.1, Figure 10 in bytes.
func pseudo(dsn uint64, ssn uint32, length uint16) []byte {
	b := binary.BigEndian.AppendUint64(nil, dsn)
	b = binary.BigEndian.AppendUint32(b, ssn)
	b = binary.BigEndian.AppendUint16(b, length)
	return append(b, 0, 0)
}

// Mappings as captured between Linux kernels, whole in one segment.
func TestSumOfCapturedMappings(t *testing.T) {
	for _, c := range []struct {
		name     string
		dsn      uint64
		ssn      uint32
		checksum uint16
		data     string
	}{
		{
			name: "MP_CAPABLE with data: DSN is IDSN + 1, SSN 1", // RFC 8684, Section 3.1
			dsn:  IDSN(1, 0xfd8aa86e39b3590e) + 1, ssn: 1, checksum: 0x9b04,
			data: "7b226d6f6465223a2262756c6b222c227570223a66616c73652c2273656564223a2266756c6c2d312d31222c226279746573" +
				"223a323030303030302c22726174655f627073223a383030303030302c226475725f73223a31302c226368756e6b5f6d73223a34307d0a",
		},
		{
			name: "DSS", dsn: 0x30824f6598219e31, ssn: 0x000a3701, checksum: 0x4ba0,
			data: "22809799461e5b19bc7acad5fd1e8cb3ed4c0950402c0f2faf63a42cc8c4462a0da89c89eaf16ed14556bd615312f36bea29cd1924206dba9e34626e8118bdca" +
				"b186d6c9745ecf8272d9b7d4e7bbdcd52d952ebe8266f9189c4af2cdeae8c9332d1f96b8f5a15c4d10cad57d942ec04bd6f4e036e55553419cf9f46c01f0d39d" +
				"04e4706cceb995a3ae714c6c848561e387ec3350a892c089ba7a1d03c135b3da825a9ea4926469f462dbcc102187863a2604a192ec32069ec8dc4be3f9c47514",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := unhex(t, c.data)
			var s Sum
			s.PseudoHeader(c.dsn, c.ssn, uint16(len(data)))
			s.Add(data)
			got := s.Value()
			assert.Check(t, got == c.checksum, "Value %#04x, want %#04x", got, c.checksum)
			assert.Check(t, s.Verify(c.checksum), "Verify refuses the captured checksum")
			for bit := range 16 {
				assert.Check(t, !s.Verify(c.checksum^1<<bit), "Verify accepts the checksum with bit %d flipped", bit)
			}
		})
	}
}

// TestSumInPieces adds random data cut at random places, empty pieces and
// pieces of odd length among them, the pseudo-header at a random turn.
func TestSumInPieces(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		data := make([]byte, random.IntN(300))
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		dsn, ssn := random.Uint64(), random.Uint32()
		want := naive(append(pseudo(dsn, ssn, uint16(len(data))), data...))
		got := sumInPieces(random, data, dsn, ssn)
		assert.Assert(t, got == want, "%d bytes % x, DSN %#x, SSN %#x: %#04x, want %#04x", len(data), data, dsn, ssn, got, want)
	}
}

func sumInPieces(random *rand.Rand, data []byte, dsn uint64, ssn uint32) uint16 {
	var s Sum
	length := uint16(len(data))
	turn := random.IntN(3)
	for i := 0; len(data) > 0 || i <= turn; i++ {
		if i == turn {
			s.PseudoHeader(dsn, ssn, length)
		}
		n := random.IntN(len(data) + 1)
		s.Add(data[:n])
		data = data[n:]
	}
	return s.Value()
}

// All bytes 0xff make every addition carry.
func TestSumCarries(t *testing.T) {
	data := make([]byte, 65535)
	for i := range data {
		data[i] = 0xff
	}
	for _, n := range []int{0, 1, 2, 7, 8, 9, 31, 32, 33, 63, 65535} {
		var s Sum
		s.PseudoHeader(^uint64(0), ^uint32(0), ^uint16(0))
		s.Add(data[:n])
		if got, want := s.Value(), naive(append(pseudo(^uint64(0), ^uint32(0), ^uint16(0)), data[:n]...)); got != want {
			t.Errorf("%d bytes of 0xff: %#04x, want %#04x", n, got, want)
		}
	}
}

// A sum of zero has the checksum 0xffff; zero does not stand for it.
func TestVerifyZero(t *testing.T) {
	var s Sum
	s.Add(make([]byte, 10))
	if !s.Verify(0xffff) || s.Verify(0) {
		t.Errorf("ten bytes of zero: 0xffff accepted %v, 0 accepted %v; want true, false", s.Verify(0xffff), s.Verify(0))
	}
	s.Add([]byte{0xff, 0xff}) // the other zero, for which both checksums are right
	if !s.Verify(0xffff) || !s.Verify(0) {
		t.Errorf("with 0xffff in it: 0xffff accepted %v, 0 accepted %v; want true, true", s.Verify(0xffff), s.Verify(0))
	}
}

func FuzzSum(f *testing.F) {
	f.Add([]byte("abcdefg"), uint8(3), uint64(1), uint32(2))
	f.Add([]byte{}, uint8(0), ^uint64(0), ^uint32(0))
	f.Fuzz(func(t *testing.T, data []byte, cut uint8, dsn uint64, ssn uint32) {
		n := min(int(cut), len(data))
		var s Sum
		s.Add(data[:n])
		s.PseudoHeader(dsn, ssn, uint16(len(data)))
		s.Add(data[n:])
		want := naive(append(pseudo(dsn, ssn, uint16(len(data))), data...))
		if s.Value() != want || !s.Verify(want) {
			t.Errorf("%#04x, verified %v; want %#04x", s.Value(), s.Verify(want), want)
		}
	})
}

func TestSumAllocatesNothing(t *testing.T) {
	data := make([]byte, 1447)
	var s Sum
	n := testing.AllocsPerRun(100, func() { s.Add(data) })
	assert.Check(t, n == 0, "%v allocations for Add, want 0", n)
}
