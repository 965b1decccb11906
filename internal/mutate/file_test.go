package mutate

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
)

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
		return slices.Insert(all, 1+r.IntN(len(all)), appendBlock(nil, statisticsBlock, append(d, 0, 0, 0, 0)))
	})
}
