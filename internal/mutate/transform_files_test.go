package mutate

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
)

// as returns a function that writes one file in a format.
func as(f Format) func(*Capture) [][]byte {
	return func(c *Capture) [][]byte {
		one := *c
		one.Format = f
		return [][]byte{one.Bytes()}
	}
}

// with returns a capture of the same kind with other packets.
func (c *Capture) with(packets []Packet) *Capture {
	return &Capture{c.Link, packets, Format{Nano: true}}
}

// wholeMicroseconds is for captures without shorter units.
func wholeMicroseconds(c *Transformed) bool {
	return !slices.ContainsFunc(c.Packets, func(p Packet) bool { return p.Time%1000 != 0 })
}

// interfaceOfPath gives each pair of addresses an interface.
func interfaceOfPath(c *Transformed) bool {
	numbers := map[string]int{}
	for i := range c.Packets {
		c.Packets[i].Iface = 0
	}
	c.each(func(h *header) {
		from, to := h.addresses()
		pair := string(from) + string(to)
		if string(from) > string(to) {
			pair = string(to) + string(from)
		}
		if _, ok := numbers[pair]; !ok {
			numbers[pair] = len(numbers) % 16
		}
		h.p.Iface = numbers[pair]
	})
	return len(numbers) > 1
}

// parts returns a function that writes packets one after the other into so many files, as tcpdump
// -C does.
func parts(n int) func(*Capture) [][]byte {
	return func(c *Capture) (files [][]byte) {
		for i := range n {
			size := len(c.Packets)
			files = append(files, c.with(c.Packets[i*size/n:(i+1)*size/n]).Bytes())
		}
		return files
	}
}

// shuffled puts files in another order.
func shuffled(write func(*Capture) [][]byte) func(*Capture) [][]byte {
	return func(c *Capture) [][]byte {
		files := write(c)
		for i := range files {
			j := (i*7 + 3) % len(files)
			files[i], files[j] = files[j], files[i]
		}
		return files
	}
}

// byInterface writes a file for each interface.
func byInterface(c *Capture) (files [][]byte) {
	var all [16][]Packet
	for _, p := range c.Packets {
		all[p.Iface] = append(all[p.Iface], p)
	}
	for _, packets := range all {
		if len(packets) > 0 {
			files = append(files, c.with(packets).Bytes())
		}
	}
	return files
}

// inOrder is for captures whose times do not go back.
func inOrder(c *Transformed) bool { return c.ordered() }

// apart is for captures whose interfaces have no packets of equal times: files do not say which of
// them came first.
func apart(change func(*Transformed) bool) func(*Transformed) bool {
	return func(c *Transformed) bool {
		if !change(c) || !c.ordered() {
			return false
		}
		for i := 1; i < len(c.Packets); i++ {
			if a, b := c.Packets[i-1], c.Packets[i]; a.Time == b.Time && a.Iface != b.Iface {
				return false
			}
		}
		return true
	}
}

// interfaceOfDirection gives each direction an interface.
func interfaceOfDirection(h *header) {
	h.p.Iface = 0
	if binary.BigEndian.Uint16(h.bytes()) < binary.BigEndian.Uint16(h.bytes()[2:]) {
		h.p.Iface = 1
	}
}

// blocksBetween writes two sections, the second in the other byte order, and between the packets
// blocks that say nothing of them: names, secrets, statistics and one that nobody knows.
func blocksBetween(c *Capture) [][]byte {
	half := len(c.Packets) / 2
	first, second := c.with(c.Packets[:half]), c.with(c.Packets[half:])
	first.Format, second.Format = Format{NG: true}, Format{NG: true, BigEndian: true}
	all := blocks(first.Bytes())
	for i, kind := range []uint32{4, 10, 5, 0x0bad0001} {
		at := min(len(all), 2+i*5)
		all = slices.Insert(all, at, orderedBlock(nil, binary.LittleEndian, kind, make([]byte, 16)))
	}
	return [][]byte{slices.Concat(slices.Concat(all...), second.Bytes())}
}

// startAt moves all times so that the first packet has this second.
func startAt(second int64) func(*Transformed) bool {
	return func(c *Transformed) bool {
		by := second*1e9 - c.Packets[0].Time
		for i := range c.Packets {
			c.Packets[i].Time += by
		}
		return true
	}
}

// fileOrder writes packets of opposite directions up to 20 us late into the file, as two processors
// do. Their times stay.
func fileOrder(c *Transformed) bool {
	if !c.ordered() {
		return false
	}
	before := slices.Clone(c.Packets)
	for i := 0; i+1 < len(c.Packets); i += 3 {
		a, okA := find(c.Link, &c.Packets[i])
		b, okB := find(c.Link, &c.Packets[i+1])
		if by := c.Packets[i+1].Time - c.Packets[i].Time; okA && okB && a.flow() != b.flow() && by > 0 && by < 20_000 {
			c.Packets[i], c.Packets[i+1] = c.Packets[i+1], c.Packets[i]
		}
	}
	return !slices.EqualFunc(before, c.Packets, func(a, b Packet) bool { return a.Time == b.Time })
}

// snapped cuts packets behind their headers.
func snapped(c *Transformed) (any bool) {
	c.each(func(h *header) {
		if cut := max(h.data, 96); len(h.p.Frame) > cut {
			h.p.Frame, any = h.p.Frame[:cut], true
		}
	})
	return any
}

func flipBytes(r *rand.Rand, file []byte) []byte {
	for range min(len(file), 1+r.IntN(20)) {
		file[r.IntN(len(file))] ^= 1 << r.IntN(8)
	}
	return file
}

// blocks returns the blocks of a pcapng file; none for another file.
func blocks(file []byte) (out [][]byte) {
	if len(file) < 12 || binary.LittleEndian.Uint32(file) != sectionHeader {
		return nil
	}
	for len(file) >= 12 {
		n := int(binary.LittleEndian.Uint32(file[4:]))
		if n < 12 || n > len(file) {
			return out
		}
		out, file = append(out, file[:n:n]), file[n:]
	}
	return out
}

// changed applies a change to the blocks of a file.
func changed(file []byte, change func(all [][]byte) [][]byte) []byte {
	all := blocks(file)
	if len(all) == 0 {
		return file
	}
	return slices.Concat(change(all)...)
}

func blocksReordered(r *rand.Rand, file []byte) []byte {
	return changed(file, func(all [][]byte) [][]byte {
		for range 1 + r.IntN(5) {
			i, j := r.IntN(len(all)), r.IntN(min(len(all), 6)) // headers are among the first
			all[i], all[j] = all[j], all[i]
		}
		return all
	})
}

func blocksTwice(r *rand.Rand, file []byte) []byte {
	return changed(file, func(all [][]byte) [][]byte {
		i := r.IntN(oneOf(r, len(all), min(len(all), 3)))
		return slices.Insert(all, r.IntN(len(all)+1), all[i])
	})
}

func blockLength(r *rand.Rand, file []byte) []byte {
	return changed(file, func(all [][]byte) [][]byte {
		b := slices.Clone(all[r.IntN(len(all))])
		at := oneOf(r, 4, len(b)-4)
		n := binary.LittleEndian.Uint32(b[at:])
		binary.LittleEndian.PutUint32(b[at:], oneOf(r, 0, 12, n-4, n+4, n+1, 1<<31, 1<<32-1))
		return slices.Insert(all, r.IntN(len(all)+1), b)
	})
}

// blockOption changes an option of an interface: its kind, length or value.
func blockOption(r *rand.Rand, file []byte) []byte {
	return changed(file, func(all [][]byte) [][]byte {
		for i, b := range all {
			if binary.LittleEndian.Uint32(b) == interfaceBlock && len(b) > 24 {
				b = slices.Clone(b)
				b[16+r.IntN(len(b)-20)] = byte(r.Uint32())
				all[i] = b
				break
			}
		}
		return all
	})
}

// statistics adds a block that says how many packets the capture received and dropped.
func statistics(r *rand.Rand, file []byte) []byte {
	return changed(file, func(all [][]byte) [][]byte {
		le := binary.LittleEndian
		d := le.AppendUint32(nil, uint32(r.IntN(3)))
		d = le.AppendUint32(le.AppendUint32(d, r.Uint32()), r.Uint32())
		for option := range uint16(3) {
			d = le.AppendUint64(le.AppendUint16(le.AppendUint16(d, 4+option), 8), r.Uint64()>>r.IntN(64))
		}
		return slices.Insert(all, 1+r.IntN(len(all)), orderedBlock(nil, binary.LittleEndian, statisticsBlock, append(d, 0, 0, 0, 0)))
	})
}
