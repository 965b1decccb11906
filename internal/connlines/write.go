package connlines

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mpanalyze/internal/report"
)

// JSON writes a line of JSON for each connection, in the order of the report.
func JSON(w io.Writer, s report.Source) error {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	if err := each(s, func(l *Line) error { return enc.Encode(l) }); err != nil {
		return err
	}
	return out.Flush()
}

// CSV writes a row for each path of each direction of each connection (RFC 4180). A direction
// without paths has one row with an empty path. What is not known is empty; the last column has
// the reasons.
func CSV(w io.Writer, s report.Source) error {
	out := csv.NewWriter(w)
	if err := out.Write(header()); err != nil {
		return err
	}
	err := each(s, func(l *Line) error {
		head := cells(lineColumns, l)
		return errors.Join(l.A2B.rows(out, head, report.A2B), l.B2A.rows(out, head, report.B2A))
	})
	out.Flush()
	if err != nil {
		return err
	}
	return out.Error()
}

// each calls write with the line of each connection.
func each(s report.Source, write func(*Line) error) error {
	for i := range s.NumConnections() {
		c, err := s.ConnectionAt(i)
		if err == nil {
			err = write(multipath(c))
		}
		if err != nil {
			return err
		}
	}
	for i := range s.NumTCP() {
		c, err := s.TCPAt(i)
		if err == nil {
			err = write(plain(c))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A column of [CSV] is a figure of a connection or of a path.
type column[T any] struct {
	name string
	cell func(*T) string
}

// header returns the names of the columns.
func header() []string {
	return slices.Concat(names(lineColumns), []string{"direction", "data_bytes"}, names(pathColumns), []string{"unavailable"})
}

func names[T any](columns []column[T]) (out []string) {
	for _, c := range columns {
		out = append(out, c.name)
	}
	return out
}

// cells returns the texts of a row in these columns. Without of they are empty.
func cells[T any](columns []column[T], of *T) []string {
	out := make([]string, len(columns))
	if of == nil {
		return out
	}
	for i, c := range columns {
		out[i] = c.cell(of)
	}
	return out
}

// rows writes the rows of a direction. head has the columns of the connection.
func (d *Direction) rows(out *csv.Writer, head []string, name report.Direction) error {
	if d == nil {
		return nil
	}
	head = append(slices.Clone(head), string(name), whole(d.Bytes))
	if len(d.Paths) == 0 {
		return out.Write(append(slices.Concat(head, cells[Path](pathColumns, nil)), d.reasons(nil)))
	}
	for i := range d.Paths {
		p := &d.Paths[i]
		if err := out.Write(append(slices.Concat(head, cells(pathColumns, p)), d.reasons(p.Unavailable))); err != nil {
			return err
		}
	}
	return nil
}

// reasons says why cells of a row are empty. ofPath has the reasons of its path.
func (d *Direction) reasons(ofPath map[string]string) string {
	var why []string
	if text, ok := d.Unavailable["bytes"]; ok {
		why = append(why, "data_bytes: "+text)
	}
	for _, field := range slices.Sorted(maps.Keys(ofPath)) {
		why = append(why, field+": "+ofPath[field])
	}
	return strings.Join(why, "; ")
}

// whole returns an integer as text; empty for none.
func whole[T int | int64](v *T) string {
	if v == nil {
		return ""
	}
	return strconv.FormatInt(int64(*v), 10)
}

// fraction returns a number as text; empty for none.
func fraction(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'f', -1, 64)
}
