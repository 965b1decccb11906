package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"time"
)

// Type is the type of a column's values.
type Type int

// The types of values, and the texts that stand for a value.
const (
	Text     Type = iota // UTF-8
	Integer              // 64 bits, signed
	Unsigned             // 64 bits, without sign
	Number               // a double
	Boolean              // true or false
	Time                 // RFC 3339, 1678 to 2262; nanoseconds since the Unix epoch, UTC
)

// Column is a column of a table.
type Column struct {
	Name string
	Type Type
}

// column is a column of the row group that is being filled.
type column struct {
	Column
	levels []byte // whether each row has a value: runs of equal levels
	run    int    // rows of the last run, which is not yet in levels
	there  bool   // whether these rows have values
	values []byte // the values, without nulls
	bits   int    // booleans in values
}

// add takes the text of a value. An empty text is null. It returns by how many bytes the
// column grew.
func (c *column) add(text []byte) (int, error) {
	there := len(text) > 0
	if there != c.there || c.run == 0 {
		c.endRun()
		c.there = there
	}
	c.run++
	before := len(c.values)
	if there {
		if err := c.value(text); err != nil {
			return 0, fmt.Errorf("column %s: %w", c.Name, err)
		}
	}
	return len(c.values) - before + 1, nil
}

func (c *column) value(text []byte) (err error) {
	switch c.Type {
	case Text:
		c.values = append(binary.LittleEndian.AppendUint32(c.values, uint32(len(text))), text...)
		return nil
	case Boolean:
		return c.boolean(string(text))
	}
	var bits uint64
	switch c.Type {
	case Integer:
		var n int64
		n, err = strconv.ParseInt(string(text), 10, 64)
		bits = uint64(n)
	case Unsigned:
		bits, err = strconv.ParseUint(string(text), 10, 64)
	case Number:
		var v float64
		v, err = strconv.ParseFloat(string(text), 64)
		bits = math.Float64bits(v)
	case Time:
		var t time.Time
		t, err = time.Parse(time.RFC3339Nano, string(text))
		bits = uint64(t.UnixNano())
	}
	c.values = binary.LittleEndian.AppendUint64(c.values, bits)
	return err
}

// boolean packs eight values into a byte, the first into the lowest bit.
func (c *column) boolean(text string) error {
	v, err := strconv.ParseBool(text)
	if c.bits%8 == 0 {
		c.values = append(c.values, 0)
	}
	if v {
		c.values[len(c.values)-1] |= 1 << (c.bits % 8)
	}
	c.bits++
	return err
}

// endRun puts the last run into levels, as the hybrid encoding of the format has it for one bit.
func (c *column) endRun() {
	if c.run == 0 {
		return
	}
	level := byte(0)
	if c.there {
		level = 1
	}
	c.levels = append(binary.AppendUvarint(c.levels, uint64(c.run)<<1), level)
	c.run = 0
}

// page appends the column's page without its header and begins the next one.
func (c *column) page(b []byte) []byte {
	c.endRun()
	b = binary.LittleEndian.AppendUint32(b, uint32(len(c.levels)))
	b = append(append(b, c.levels...), c.values...)
	c.levels, c.values, c.bits = c.levels[:0], c.values[:0], 0
	return b
}
