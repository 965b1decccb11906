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

// columns are those of [CSV].
var columns = []string{
	"kind", "id", "version", "vantage", "state", "start", "duration_s", "verdicts", "direction", "data_bytes", "path", "subflows", "bytes", "share_percent",
	"segments", "retransmitted_segments", "retransmitted_bytes", "reinjected_bytes", "drops", "drops_unresolved", "drops_percent", "drops_evidence",
	"unavailable",
}

// CSV writes a row for each path of each direction of each connection (RFC 4180). A direction
// without paths has one row with an empty path. What is not known is empty; the last column has
// the reasons.
func CSV(w io.Writer, s report.Source) error {
	out := csv.NewWriter(w)
	if err := out.Write(columns); err != nil {
		return err
	}
	err := each(s, func(l *Line) error {
		head := l.cells()
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

// cells returns the columns of the connection.
func (l *Line) cells() []string {
	var codes []string
	for _, v := range l.Verdicts {
		if code := string(v.Code); !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	return []string{
		l.Kind, strconv.Itoa(l.ID), whole(l.Version), string(l.Vantage), l.State, l.Start.String(), fraction(&l.DurationS), strings.Join(codes, ";"),
	}
}

// rows writes the rows of a direction. head has the columns of the connection.
func (d *Direction) rows(out *csv.Writer, head []string, name report.Direction) error {
	if d == nil {
		return nil
	}
	paths := d.Paths
	if len(paths) == 0 {
		paths = []Path{{}}
	}
	for i := range paths {
		p := &paths[i]
		row := append(slices.Concat(head, []string{string(name), whole(d.Bytes)}), p.cells()...)
		var why []string
		if text, ok := d.Unavailable["bytes"]; ok {
			why = append(why, "data_bytes: "+text)
		}
		for _, field := range slices.Sorted(maps.Keys(p.Unavailable)) {
			why = append(why, field+": "+p.Unavailable[field])
		}
		if err := out.Write(append(row, strings.Join(why, "; "))); err != nil {
			return err
		}
	}
	return nil
}

// cells returns the columns of the path; the zero value stands for none.
func (p *Path) cells() []string {
	row := make([]string, 12)
	if p.Path == "" {
		return row
	}
	copy(row, []string{
		report.CellText(p.Path), strconv.Itoa(len(p.Subflows)), whole(p.Bytes), fraction(p.Share),
		whole(&p.Segments), whole(&p.RetransmittedSegments), whole(&p.RetransmittedBytes), whole(p.ReinjectedBytes),
	})
	if d := p.Drops; d != nil {
		copy(row[8:], []string{whole(&d.Count), whole(&d.Unresolved), fraction(d.Percent), string(d.Evidence)})
	}
	return row
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
