package capture

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/ulikunitz/xz"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/testrun"
)

// layout is a capture with the places of its records or blocks.
type layout struct {
	file   []byte
	starts []int  // of each unit behind the header, and the end of the file
	packet []bool // whether the unit holds a packet
	header int    // bytes without which there is no capture at all
}

func classicLayout(order binary.AppendByteOrder, samples []sample) layout {
	file, starts := classic(order, magicMicro, 1, samples)
	l := layout{file: file, starts: starts, header: pcapHeaderLen}
	for range samples {
		l.packet = append(l.packet, true)
	}
	return l
}

// nanoLayout is a classic capture with times in nanoseconds.
func nanoLayout(order binary.AppendByteOrder) layout {
	l := classicLayout(order, someSamples(5))
	copy(l.file, order.AppendUint32(nil, magicNano))
	return l
}

func ngLayout() layout {
	var n ng
	mixed(&n, binary.LittleEndian, 0)
	mixed(&n, binary.BigEndian, 3)
	return layout{file: n.file, starts: append(n.starts, len(n.file))[1:], packet: n.packet[1:], header: 28}
}

// oneInterface is a pcapng file of one interface.
func oneInterface() layout {
	n := new(ng).section(binary.LittleEndian).iface(1, 0)
	for i := range uint64(5) {
		n.enhanced(0, 1_700_000_000e6+i, 60, payload(int(i), 60))
	}
	return layout{file: n.file, starts: append(n.starts, len(n.file))[1:], packet: n.packet[1:], header: 28}
}

// before returns how many packets are complete within the first size bytes, and the start of the
// unit that the cut divides. whole means that it divides none.
func (l layout) before(size int) (packets, start int, whole bool) {
	if size < l.header {
		return 0, 0, false
	}
	for i := range l.packet {
		if l.starts[i+1] > size {
			return packets, l.starts[i], l.starts[i] == size
		}
		if l.packet[i] {
			packets++
		}
	}
	return packets, size, true
}

func layouts() map[string]layout {
	return map[string]layout{
		"pcap":            classicLayout(binary.LittleEndian, someSamples(7)),
		"pcap big endian": classicLayout(binary.BigEndian, someSamples(7)),
		"pcap-ns":         nanoLayout(binary.LittleEndian),
		"pcap-ns, other":  nanoLayout(binary.BigEndian),
		"pcapng":          ngLayout(),
	}
}

func TestCutAnywhere(t *testing.T) {
	for name, l := range layouts() {
		for size := range len(l.file) + 1 {
			s, err := openBytes(l.file[:size])
			if size < 4 {
				var not *NotCaptureError
				if !errors.As(err, &not) {
					t.Errorf("%s cut at %d: %v, want a NotCaptureError", name, size, err)
				}
				continue
			}
			assert.NilError(t, err, "%s cut at %d", name, size)
			packets := len(readAll(t, s))
			want, start, whole := l.before(size)
			damage := s.Damage()
			if packets != want || whole != (len(damage) == 0) {
				t.Fatalf("%s cut at %d: %d packets, damage %v; want %d packets, damage %v", name, size, packets, damage, want, !whole)
			}
			if !whole && (damage[0].Offset != int64(start) || damage[0].Packet != uint64(want+1)) {
				t.Errorf("%s cut at %d: %v, want packet %d, offset %d", name, size, damage[0], want+1, start)
			}
		}
	}
}

// incompressible is a capture whose compressed form has several blocks.
func incompressible() layout {
	samples := someSamples(1500)
	state := uint32(1)
	for i := range samples {
		samples[i].data = payload(i, 150)
		for j := range samples[i].data {
			state = state*1664525 + 1013904223
			samples[i].data[j] = byte(state >> 24)
		}
		samples[i].wire = 1500
	}
	return classicLayout(binary.LittleEndian, samples)
}

func TestCutCompressed(t *testing.T) {
	l := incompressible()
	for name, pack := range packers {
		t.Run(name, func(t *testing.T) {
			packed := pack(t, l.file)
			const places, last = 12, 16
			step := len(packed)/testrun.Cases(places) + 1
			for size := 6; size < len(packed); size += step {
				testCutCompressed(t, l, name, packed[:size])
			}
			for size := len(packed) - 1; size >= len(packed)-last; size -= last / testrun.Cases(last) {
				testCutCompressed(t, l, name, packed[:size])
			}
		})
	}
}

// An xz file that ends between two of its blocks is cut off, too.
func TestCutBetweenBlocks(t *testing.T) {
	l := classicLayout(binary.LittleEndian, someSamples(6))
	var b bytes.Buffer
	w, err := xz.WriterConfig{BlockSize: 100}.NewWriter(&b)
	assert.NilError(t, err)
	packed := finishPacking(t, &b, w, l.file)
	for size := 6; size < len(packed); size += 2 { // blocks are aligned to 4 bytes
		testCutCompressed(t, l, "xz", packed[:size])
	}
	padded := append(packed, 0, 0, 0, 0)
	if packets, s := readBytes(t, padded); len(packets) != 6 || s.Damage() != nil {
		t.Errorf("with padding: %d packets, damage %v", len(packets), s.Damage())
	}
}

// testCutCompressed compares with what the decompressor alone can restore.
func testCutCompressed(t *testing.T, l layout, name string, packed []byte) {
	t.Helper()
	var plain []byte
	content, done, err := unpack(name, bufio.NewReader(bytes.NewReader(packed)))
	if err == nil {
		plain, _ = io.ReadAll(content)
	}
	done()
	want, start, _ := l.before(len(plain))
	s, err := openBytes(packed)
	assert.NilError(t, err, "cut at %d", len(packed))
	packets := len(readAll(t, s))
	damage := s.Damage()
	assert.Assert(t, packets == want && len(damage) == 1, "cut at %d: %d packets, damage %v; want %d packets, one damage", len(packed), packets, damage, want)
	d := damage[0]
	if d.Offset != int64(start) || d.Packet != uint64(want+1) || d.Compression != name || d.Err == nil {
		t.Errorf("cut at %d: damage %+v, want packet %d, offset %d, with its cause", len(packed), d, want+1, start)
	}
}

// Records that are whole in memory are read by faster code than records that arrive in pieces.
// Both must find the same packets, in sound and in damaged files: no flipped byte may crash, hang or
// blow up memory, and nothing before it may be lost.
func TestFlippedInPieces(t *testing.T) {
	step := 3 // no multiple of the size of a field, so that all of its bytes have their turn
	switch {
	case testrun.All():
		step = 1
	case testing.Short():
		step = 11
	}
	for name, l := range layouts() {
		for i := 0; i < len(l.file); i += step {
			file := bytes.Clone(l.file)
			file[i] ^= [...]byte{0x81, 0xff, 0x80, 0x01}[i/step%4]
			whole, err := openBytes(file)
			if err != nil {
				if not := (*NotCaptureError)(nil); !errors.As(err, &not) || i >= 4 {
					t.Errorf("%s, byte %d: %v", name, i, err)
				}
				continue
			}
			want, wantDamage := readAll(t, whole), whole.Damage()
			if least, _, _ := l.before(i); len(want) < least {
				t.Errorf("%s, byte %d: packets before it are lost, %d are wanted", name, i, least)
			}
			source, err := Open([]string{"-"}, Options{Stdin: inPieces{bytes.NewReader(file), func() int { return 3 }}})
			assert.NilError(t, err, "%s, byte %d", name, i)
			assert.Assert(t, is.DeepEqual(readAll(t, source), want), "%s, byte %d (-whole +in pieces)", name, i)
			assert.Assert(t, is.DeepEqual(source.Damage(), wantDamage, cmpopts.IgnoreFields(DamageError{}, "Err")), "%s, byte %d (-whole +in pieces)", name, i)
		}
	}
}

func TestFlipCompressed(t *testing.T) {
	l := classicLayout(binary.LittleEndian, someSamples(40))
	for name, pack := range packers {
		packed := pack(t, l.file)
		step := 1
		if name == "xz" { // each start of its decoder takes 8 MiB
			step = 5
		}
		for i := 0; i < len(packed); i += step {
			file := bytes.Clone(packed)
			file[i] ^= 0x10
			s, err := openBytes(file)
			if err != nil {
				continue
			}
			packets := readAll(t, s)
			assert.Check(t, len(packets) >= len(l.packet) || len(s.Damage()) != 0, "%s, byte %d: %d packets of %d and no damage", name, i, len(packets), len(l.packet))
		}
	}
}
