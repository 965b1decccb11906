package capture

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"gotest.tools/v3/assert"
)

// againstPcapgo reads a classic pcap file with this package, through read, and with pcapgo. Both
// must find the same packets, and end at the same place. If there are zeros instead of records,
// which pcapgo takes for packets, it returns -1.
func againstPcapgo(t *testing.T, file []byte, read func(io.Reader) io.Reader) (packets int) {
	t.Helper()
	oracle, err := pcapgo.NewReader(bytes.NewReader(file))
	assert.NilError(t, err)
	oracle.SetSnaplen(maxCaptured)
	s, err := Open([]string{"-"}, Options{Stdin: read(bytes.NewReader(file))})
	assert.NilError(t, err)
	defer s.Close()
	var raw Raw
	for {
		data, ci, wantErr := oracle.ReadPacketData()
		switch err := s.Next(&raw); {
		case wantErr != nil && err == io.EOF:
			sound := wantErr == io.EOF && !cutBehindHeader(file, s.Damage())
			if sound != (len(s.Damage()) == 0) {
				t.Fatalf("after packet %d: damage %v, pcapgo has %v", packets, s.Damage(), wantErr)
			}
			return packets
		case err == nil && raw.Longer || err == io.EOF && longerFound(s.Damage()):
			return packets // pcapgo ends there
		case wantErr == nil && err == io.EOF && zerosFound(s.Damage()):
			return -1
		case wantErr != nil || err != nil:
			t.Fatalf("after packet %d: %v, damage %v, pcapgo has %v", packets, err, s.Damage(), wantErr)
		}
		packets++
		if !bytes.Equal(raw.Data, data) || raw.WireLen != ci.Length || layers.LinkType(raw.Link) != oracle.LinkType() {
			t.Fatalf("packet %d: %d bytes of %d, %v, pcapgo has %d of %d", packets, len(raw.Data), raw.WireLen, raw.Link, len(data), ci.Length)
		}
		if raw.Time != ci.Timestamp.UnixNano() && !wraps(file, raw.Offset) {
			t.Fatalf("packet %d: time %d, pcapgo has %d", packets, raw.Time, ci.Timestamp.UnixNano())
		}
	}
}

// zerosFound reports whether reading ended at a record of zeros. How many packets come before it
// depends on how the bytes arrive: from a pipe, a record without data and lengths does not wait
// for the next one ([pcapReader.emptyRecord]).
func zerosFound(damage []*DamageError) bool {
	return len(damage) == 1 && strings.Contains(damage[0].Error(), "zeros where packets should be")
}

// longerFound reports whether reading ended at a record that says that the packet was shorter.
func longerFound(damage []*DamageError) bool {
	return len(damage) == 1 && strings.Contains(damage[0].Error(), "captured bytes of a packet of")
}

// wraps reports whether the fraction of a second of the record at offset is so large that pcapgo,
// which computes its nanoseconds in 32 bits, loses the upper bits.
func wraps(file []byte, offset int64) bool {
	format := sniff(file)
	var order binary.ByteOrder = binary.LittleEndian
	if format.bigEndian {
		order = binary.BigEndian
	}
	return format.unit == 1000 && order.Uint32(file[offset+4:]) > (1<<32-1)/1000
}

// cutBehindHeader reports whether the file ends between the header of a record
// and its data, which pcapgo takes for a sound end.
func cutBehindHeader(file []byte, damage []*DamageError) bool {
	return len(damage) == 1 && damage[0].Offset+recordHeaderLen == int64(len(file))
}

func whole(r io.Reader) io.Reader { return r }

// The files have times up to the largest value of the field, fractions of several seconds, and
// packets of all lengths at the borders between two reads of the file.
func TestClassicAgainstPcapgo(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var samples []sample
	for i, size := 0, 0; size < 5*bufferSize; i++ {
		n := rng.IntN(2000)
		if i%500 == 499 {
			n = rng.IntN(maxCaptured + 1)
		}
		size += n
		samples = append(samples, sample{sec: rng.Uint32(), frac: rng.Uint32N(4_000_000), wire: uint32(n) + rng.Uint32()>>1, data: payload(i, n)})
	}
	pieces := func(r io.Reader) io.Reader { return inPieces{r, func() int { return rng.IntN(1 << 16) }} }
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, magic := range []uint32{magicMicro, magicNano} {
			file, _ := classic(order, magic, 1, samples)
			for _, read := range []func(io.Reader) io.Reader{whole, pieces} {
				if n := againstPcapgo(t, file, read); n != len(samples) {
					t.Errorf("%v, magic %#x: %d packets of %d", order, magic, n, len(samples))
				}
			}
		}
	}
}

// FuzzClassic puts any records behind a sound file header and compares what is read of them with
// pcapgo.
func FuzzClassic(f *testing.F) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		file, starts := classic(order, magicMicro, 1, someSamples(5))
		bigEndian := order == binary.AppendByteOrder(binary.BigEndian)
		f.Add(bigEndian, true, file[pcapHeaderLen:])
		f.Add(bigEndian, false, file[pcapHeaderLen:starts[3]+7])
		f.Add(bigEndian, false, file[pcapHeaderLen:starts[2]+recordHeaderLen])
		f.Add(bigEndian, true, []byte("zeros in\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
		f.Add(bigEndian, false, append(file[pcapHeaderLen:], 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1))
	}
	f.Fuzz(func(t *testing.T, bigEndian, nano bool, records []byte) {
		var order binary.AppendByteOrder = binary.LittleEndian
		if bigEndian {
			order = binary.BigEndian
		}
		magic := uint32(magicMicro)
		if nano {
			magic = magicNano
		}
		header, _ := classic(order, magic, 1, nil)
		n := againstPcapgo(t, append(header, records...), whole)
		if again := againstPcapgo(t, append(header, records...), func(r io.Reader) io.Reader { return inPieces{r, func() int { return 3 }} }); again != n && again >= 0 && n >= 0 {
			t.Errorf("%d packets at once, %d in pieces", n, again)
		}
	})
}
