package parquet

import (
	"bytes"
	"errors"
	"io"
)

// Line takes a record of CSV (RFC 4180) as a row. line has no end of line.
func (w *Writer) Line(line []byte) error {
	for {
		field, rest, more := cut(line)
		w.Add(field)
		if !more {
			return w.End()
		}
		line = rest
	}
}

// cut returns the first field of a record, without quotes, and what follows it.
func cut(line []byte) (field, rest []byte, more bool) {
	if len(line) == 0 || line[0] != '"' {
		return bytes.Cut(line, []byte{','})
	}
	end, inside := 0, false
	for ; end < len(line) && (inside || line[end] != ','); end++ {
		inside = inside != (line[end] == '"') // two quotation marks, which stand for one, change nothing
	}
	return bytes.ReplaceAll(line[1:max(1, end-1)], []byte(`""`), []byte(`"`)), line[min(end+1, len(line)):], end < len(line)
}

// CSV turns a table as CSV, which is written to it in any pieces, into Parquet. The first
// record has the names of the columns.
type CSV struct {
	out    io.Writer
	types  func(column int, name string) Type
	w      *Writer
	record []byte // that is not yet whole
	quotes int    // in the record
}

// FromCSV begins a table. types says the type of each column.
func FromCSV(out io.Writer, types func(column int, name string) Type) *CSV {
	return &CSV{out: out, types: types}
}

// Write implements [io.Writer].
func (c *CSV) Write(b []byte) (int, error) {
	for i, ch := range b {
		switch {
		case ch == '"':
			c.quotes++
		case ch == '\n' && c.quotes%2 == 0:
			if err := c.end(); err != nil {
				return i, err
			}
			continue
		}
		c.record = append(c.record, ch)
	}
	return len(b), nil
}

// end takes the record, which is whole.
func (c *CSV) end() error {
	line := c.record
	c.record, c.quotes = c.record[:0], 0
	if c.w != nil {
		return c.w.Line(line)
	}
	var columns []Column
	for more := true; more; {
		var name []byte
		name, line, more = cut(line)
		columns = append(columns, Column{string(name), c.types(len(columns), string(name))})
	}
	c.w = NewWriter(c.out, columns)
	return nil
}

// Close writes the rest. It does not close what FromCSV got.
func (c *CSV) Close() error {
	if c.w == nil || len(c.record) > 0 {
		return errors.New("the table as CSV is not whole")
	}
	return c.w.Close()
}
