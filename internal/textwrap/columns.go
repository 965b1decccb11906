package textwrap

import (
	"bytes"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Columns writes rows of cells with tabs between them as a table that fits a width. The first row has
// the names of the columns. It implements [io.Writer]; rows are written when they are whole.
type Columns struct {
	out       io.Writer
	width     int
	important []string
	shown     []int // columns of the rows; nil before the first row
	sizes     []int // their widths
	leftOut   []string
	rest      []byte // the beginning of a row
}

// NewColumns returns a table of width characters. important has all columns with blanks between them, the ones to keep first: the name
// and, where that is shorter, a colon and the usual width, as in "id:3 subflow".
func NewColumns(out io.Writer, width int, important string) *Columns {
	return &Columns{out: out, width: width, important: strings.Fields(important)}
}

// LeftOut returns the names of the columns that do not fit.
func (c *Columns) LeftOut() []string { return c.leftOut }

// Write implements [io.Writer].
func (c *Columns) Write(p []byte) (int, error) {
	var b strings.Builder
	c.rest = append(c.rest, p...)
	for {
		row, rest, whole := bytes.Cut(c.rest, []byte{'\n'})
		if !whole {
			break
		}
		c.rest = rest
		cells := strings.Split(string(row), "\t")
		if c.shown == nil {
			c.choose(cells)
		}
		b.WriteString(c.row(cells))
	}
	_, err := io.WriteString(c.out, b.String())
	return len(p), err
}

// choose keeps the most important columns that fit.
func (c *Columns) choose(names []string) {
	width := map[string]int{}
	left := c.width
	for _, column := range c.important {
		name, text, _ := strings.Cut(column, ":")
		usual, _ := strconv.Atoi(text) // 0 without a width
		size := max(usual, len(name))
		if left -= size; left < 0 {
			break
		}
		left -= len(" ")
		width[name] = size
	}
	for i, name := range names {
		if size, ok := width[name]; ok {
			c.shown, c.sizes = append(c.shown, i), append(c.sizes, size)
		} else {
			c.leftOut = append(c.leftOut, name)
		}
	}
}

// row returns a line. What is longer than its column moves the rest to the right; the line is cut at
// the width.
func (c *Columns) row(cells []string) string {
	var b strings.Builder
	for k, i := range c.shown {
		b.WriteString(cells[i] + strings.Repeat(" ", max(1, c.sizes[k]+1-utf8.RuneCountInString(cells[i]))))
	}
	line := []rune(strings.TrimRight(b.String(), " "))
	if len(line) > c.width {
		line = append(slices.Clip(line[:c.width-1]), '…')
	}
	return string(line) + "\n"
}
