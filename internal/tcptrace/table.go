package tcptrace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Table is the output of tcptrace, or of this package, about connections.
type Table struct {
	Columns []string // names as in the header of separated values
	Rows    []Row
}

// Row is a connection: its cells by column, without blanks around them. A
// column that the long output leaves out is missing.
type Row map[string]string

// maxLine bounds a line of another program's output, in bytes.
const maxLine = 1 << 16

// Parse reads the output of tcptrace -l: the long form, or values separated by commas or tabs.
// It ignores comments, empty lines, blanks around values, a single number after the table and a
// separator at the end of a line. It returns an error if there is no table, or if a row has
// fewer cells than the header.
func Parse(r io.Reader) (*Table, error) {
	in := bufio.NewScanner(r)
	in.Buffer(nil, maxLine)
	p := parser{table: &Table{}}
	for in.Scan() {
		p.line++
		if err := p.take(in.Text()); err != nil {
			return nil, fmt.Errorf("line %d: %w", p.line, err)
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", p.line+1, err)
	}
	if p.separator == "" && p.row == nil {
		return nil, errors.New("neither the header of a table nor \"TCP connection 1:\" found; want the output of tcptrace -l, --csv or --tsv")
	}
	p.flush()
	return p.table, nil
}

// parser is the state between lines.
type parser struct {
	table     *Table
	line      int
	separator string // of the table; "" before its header, and in the long output
	row       Row    // the connection of the long output; nil before the first
}

func (p *parser) take(line string) error {
	trimmed := strings.TrimSpace(line)
	switch {
	case trimmed == "" || strings.HasPrefix(trimmed, "#"):
		return nil
	case p.separator != "":
		return p.cells(line)
	case strings.HasPrefix(trimmed, "conn_#"):
		return p.header(trimmed)
	case strings.HasPrefix(line, "TCP connection ") && strings.HasSuffix(trimmed, ":") && trimmed != "TCP connection info:":
		p.flush()
		p.row = Row{keyColumns[0]: strings.TrimSuffix(strings.TrimPrefix(trimmed, "TCP connection "), ":")}
	case p.row != nil && strings.HasPrefix(line, "\t"):
		p.heading(trimmed)
	case p.row != nil && strings.HasPrefix(line, "     "):
		return p.figures(line)
	}
	return nil
}

// header reads the header of a table. The separator is the text behind the first name.
func (p *parser) header(line string) error {
	rest := strings.TrimPrefix(line, "conn_#")
	at := strings.Index(rest, keyColumns[1])
	if at <= 0 {
		return fmt.Errorf("no column %s behind conn_#", keyColumns[1])
	}
	p.separator = rest[:at]
	for name := range strings.SplitSeq(strings.TrimSuffix(line, p.separator), p.separator) {
		p.table.Columns = append(p.table.Columns, strings.TrimSpace(name))
	}
	return nil
}

func (p *parser) cells(line string) error {
	cells := strings.Split(line, p.separator)
	if len(cells) == 1 {
		return nil // the number that can follow the table
	}
	if len(cells) < len(p.table.Columns) {
		return fmt.Errorf("%d cells, the header has %d", len(cells), len(p.table.Columns))
	}
	row := Row{}
	for i, name := range p.table.Columns {
		row[name] = strings.TrimSpace(cells[i])
	}
	p.table.Rows = append(p.table.Rows, row)
	return row.check(p.table.Columns)
}

// heading reads one of the lines above the figures of a connection.
func (p *parser) heading(line string) {
	label, value, ok := strings.Cut(line, ":")
	if !ok {
		return
	}
	value = strings.TrimSpace(value)
	switch {
	case strings.HasPrefix(label, "host "):
		side := "a"
		if p.row["host_a"] != "" {
			side = "b"
		}
		if at := strings.LastIndexByte(value, ':'); at >= 0 {
			p.row["host_"+side], p.row["port_"+side] = value[:at], value[at+1:]
		}
	case label == "first packet" || label == "last packet":
		if at, err := time.ParseInLocation(ctimeLayout, value, time.Local); err == nil {
			p.row[strings.ReplaceAll(label, " ", "_")] = secondsText(at.UnixMicro())
		}
	}
}

// figures reads a line with two columns. Each column has label, value and unit.
func (p *parser) figures(line string) error {
	label, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
	left, right, _ := strings.Cut(rest, label+":")
	a, b := strings.Fields(left), strings.Fields(right)
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	for i := range fields {
		f := &fields[i]
		if f.label != label || f.column != "" && (len(a) < 2 || a[1] != f.unit) {
			continue
		}
		p.row[f.name("a2b")], p.row[f.name("b2a")] = a[0], b[0]
		return p.row.check([]string{f.name("a2b"), f.name("b2a")})
	}
	return nil
}

// maxFigure is more than any time or count of tcptrace.
const maxFigure = 1e19

// check refuses numbers that no time and no count can be. Cells that are no numbers, such as NA, are
// compared as texts.
func (r Row) check(columns []string) error {
	for _, name := range columns {
		v, err := strconv.ParseFloat(strings.TrimLeft(r[name], "+-"), 64)
		if number := err == nil || errors.Is(err, strconv.ErrRange); number && !(v <= maxFigure) && !strings.HasPrefix(name, "host_") {
			return fmt.Errorf("%s is %s, which no capture gives", name, r[name])
		}
	}
	return nil
}

// flush ends a connection of the long output.
func (p *parser) flush() {
	if p.row == nil {
		return
	}
	if p.table.Columns == nil {
		p.table.Columns = Format{RTT: true, Owin: true}.columns()
	}
	p.table.Rows = append(p.table.Rows, p.row)
	p.row = nil
}
