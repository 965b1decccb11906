package connlines

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
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
// the reasons. Fields of [Line], [Path] and [Drops] with a name for CSV are the columns.
func CSV(w io.Writer, s report.Source) error {
	out := csv.NewWriter(w)
	line, _ := cells((*Line)(nil))
	path, _ := cells((*Path)(nil))
	if err := out.Write(slices.Concat(line, []string{"direction", "data_bytes"}, path, []string{"unavailable"})); err != nil {
		return err
	}
	err := each(s, func(l *Line) error {
		_, head := cells(l)
		return errors.Join(l.A2B.rows(out, head, report.A2B), l.B2A.rows(out, head, report.B2A))
	})
	out.Flush()
	if err != nil {
		return err
	}
	return out.Error()
}

// each calls write with the line of each connection, and returns the first error.
func each(s report.Source, write func(*Line) error) (failed error) {
	add := func(l *Line) {
		if failed == nil {
			failed = write(l)
		}
	}
	err := report.Each(s, func(_ int, c *report.Connection) { add(multipath(c)) }, func(_ int, c *report.TCP) { add(plain(c)) })
	return cmp.Or(failed, err)
}

// cells returns the columns of a structure, by their names for CSV, and the texts that a row has in them. Without a structure the
// texts are empty.
func cells[T any](of *T) (names, texts []string) {
	v := reflect.ValueOf(cmp.Or(of, new(T))).Elem()
	for f, value := range v.Fields() {
		drops, isDrops := value.Interface().(*Drops)
		switch name, ok := f.Tag.Lookup("csv"); {
		case !ok:
		case isDrops:
			n, t := cells(drops)
			names, texts = append(names, n...), append(texts, t...)
		case of == nil:
			names, texts = append(names, name), append(texts, "")
		default:
			names, texts = append(names, name), append(texts, cell(value))
		}
	}
	return names, texts
}

// cell returns a value as text; empty for none. Of subflows it is their number, of verdicts each code once.
func cell(v reflect.Value) string {
	v = reflect.Indirect(v)
	if !v.IsValid() {
		return ""
	}
	switch v := v.Interface().(type) {
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []int:
		return strconv.Itoa(len(v))
	case []Verdict:
		var codes []string
		for _, of := range v {
			if code := string(of.Code); !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
		}
		return strings.Join(codes, ";")
	default:
		return report.CellText(fmt.Sprint(v))
	}
}

// rows writes the rows of a direction. head has the columns of the connection.
func (d *Direction) rows(out *csv.Writer, head []string, name report.Direction) error {
	if d == nil {
		return nil
	}
	head = append(slices.Clone(head), string(name), cell(reflect.ValueOf(d.Bytes)))
	if len(d.Paths) == 0 {
		_, none := cells((*Path)(nil))
		return out.Write(append(slices.Concat(head, none), d.reasons(nil)))
	}
	for i := range d.Paths {
		p := &d.Paths[i]
		_, texts := cells(p)
		if err := out.Write(append(slices.Concat(head, texts), d.reasons(p.Unavailable))); err != nil {
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
