package record

import (
	"encoding/binary"
	"hash/crc32"
)

// Summed returns bytes with their checksum behind them.
func Summed(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// Sizes returns how much a dictionary holds.
func (d *Dictionary) Sizes() (texts, lists, bytes int) { return len(d.texts), len(d.lists), d.bytes }
