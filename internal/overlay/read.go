package overlay

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"mpanalyze/internal/storage"
)

// Bounds of a file. One that is larger is refused, because a part of it would be another series.
const (
	maxBytes  = 64 << 20
	maxRows   = 200_000 // 16 bytes each
	maxSeries = 16
	maxText   = 64 // bytes of a name or a unit
	maxNamed  = 3  // bad rows that a message names
)

// RelativeBelow is the number of seconds below which a time is one since the first packet of the
// capture; other numbers are seconds since the Unix epoch. It is March 1973.
const RelativeBelow = 1e8

// maxSeconds is the largest time. Nanoseconds of it fit into 63 bits, with room for a difference.
const maxSeconds = 4e9

// Set is what a file has.
type Set struct {
	File   string
	Rows   int64 // below the header, empty lines left out
	Bad    int64 // those that cannot be used
	Series []Series

	bad []string // the first ones, with line and reason
}

// Read reads a file.
func Read(name string) (*Set, error) {
	f, err := storage.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	s, err := Parse(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s.File = name
	return s, nil
}

// Warnings says which rows were left out, as one sentence; nothing if all could be used.
func (s *Set) Warnings() []string {
	if s.Bad == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s: %d of %d rows are left out: %s", s.File, s.Bad, s.Rows, s.reasons())}
}

// reasons names the first bad rows.
func (s *Set) reasons() string {
	text := strings.Join(s.bad, "; ")
	if more := s.Bad - int64(len(s.bad)); more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// columns are the places of the columns in a row; unit is -1 if the file has none.
type columns struct{ time, value, name, unit int }

// Parse reads CSV with a header: time, value, name and, if the values have one, unit, in any order;
// other columns are left out. A row that cannot be used is counted.
func Parse(from io.Reader) (*Set, error) {
	limited := &io.LimitedReader{R: from, N: maxBytes + 1}
	r := csv.NewReader(limited)
	r.FieldsPerRecord, r.ReuseRecord, r.TrimLeadingSpace = -1, true, true
	header, err := r.Read()
	if err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errors.New("the file is empty; want a header with the columns time, value, name, unit")
		}
		return nil, err
	}
	at, err := columnsOf(header)
	if err != nil {
		return nil, err
	}
	s := &Set{}
	for {
		row, err := r.Read()
		var wrong *csv.ParseError
		switch {
		case limited.N <= 0:
			return nil, fmt.Errorf("the file has more than %d MiB; thin it out, or cut it to the time of the capture", maxBytes>>20)
		case errors.Is(err, io.EOF):
			return s, s.empty()
		case err != nil && !errors.As(err, &wrong):
			return nil, err
		}
		if s.Rows++; s.Rows > maxRows {
			return nil, fmt.Errorf("the file has more than %d rows; thin it out, or cut it to the time of the capture", maxRows)
		}
		if err != nil {
			s.leaveOut(wrong.StartLine, wrong.Err)
			continue
		}
		line, _ := r.FieldPos(0)
		if err := s.add(at, row); err != nil {
			s.leaveOut(line, err)
		}
	}
}

// empty returns an error if no row could be used.
func (s *Set) empty() error {
	switch {
	case len(s.Series) > 0:
		return nil
	case s.Rows == 0:
		return errors.New("the file has a header and no rows")
	}
	return errors.New("no row can be used: " + s.reasons())
}

func (s *Set) leaveOut(line int, why error) {
	s.Bad++
	if len(s.bad) < maxNamed {
		s.bad = append(s.bad, fmt.Sprintf("line %d: %v", line, why))
	}
}

// columnsOf finds the columns by their names.
func columnsOf(header []string) (at columns, err error) {
	names := make([]string, len(header))
	for i, h := range header {
		names[i] = strings.ToLower(strings.TrimSpace(strings.TrimPrefix(h, "\ufeff")))
	}
	at = columns{slices.Index(names, "time"), slices.Index(names, "value"), slices.Index(names, "name"), slices.Index(names, "unit")}
	if at.time < 0 || at.value < 0 || at.name < 0 {
		return at, errors.New("line 1: want a header with the columns time, value, name and, if there is one, unit")
	}
	return at, nil
}

// add adds a row to the series of its name.
func (s *Set) add(at columns, row []string) error {
	if n := max(at.time, at.value, at.name, at.unit); n >= len(row) {
		return fmt.Errorf("%d columns, want %d or more", len(row), n+1)
	}
	t, relative, err := parseTime(strings.TrimSpace(row[at.time]))
	if err != nil {
		return err
	}
	text := strings.TrimSpace(row[at.value])
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(value) || math.Abs(value) > 1e15 {
		return fmt.Errorf("value %.64q is no number", text)
	}
	unit := ""
	if at.unit >= 0 {
		unit = row[at.unit]
	}
	to, err := s.series(strings.TrimSpace(row[at.name]), strings.TrimSpace(unit))
	if err != nil {
		return err
	}
	if relative {
		to.relative = append(to.relative, Point{t, value})
	} else {
		to.absolute = append(to.absolute, Point{t, value})
	}
	return nil
}

// series returns the series of a name. It makes it if there is none.
func (s *Set) series(name, unit string) (*Series, error) {
	if i := slices.IndexFunc(s.Series, func(o Series) bool { return o.Name == name }); i >= 0 {
		if s.Series[i].Unit != unit {
			return nil, fmt.Errorf("unit %.64q of %s, which had %q before", unit, name, s.Series[i].Unit)
		}
		return &s.Series[i], nil
	}
	switch {
	case name == "":
		return nil, errors.New("the name is missing")
	case !plain(name):
		return nil, fmt.Errorf("name %.64q: want at most %d letters, all printable", name, maxText)
	case !plain(unit):
		return nil, fmt.Errorf("unit %.64q: want at most %d letters, all printable", unit, maxText)
	case len(s.Series) == maxSeries:
		return nil, fmt.Errorf("%s is one name more than %d", name, maxSeries)
	}
	s.Series = append(s.Series, Series{Name: strings.Clone(name), Unit: strings.Clone(unit)})
	return &s.Series[len(s.Series)-1], nil
}

// plain reports whether a text can stand in a figure.
func plain(text string) bool {
	if len(text) > maxText || !utf8.ValidString(text) {
		return false
	}
	return !strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) })
}

// parseTime reads seconds or a time of RFC 3339. It returns nanoseconds since the epoch, or since
// the first packet of the capture.
func parseTime(text string) (ns int64, relative bool, err error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			return 0, false, fmt.Errorf("time %.64q: want seconds since the epoch, as 1700000000.5, RFC 3339, as 2023-11-14T22:13:20.5Z, or seconds since the first packet", text)
		}
		if s := t.Unix(); s < -maxSeconds || s > maxSeconds {
			return 0, false, fmt.Errorf("time %.64q is far from any capture", text)
		}
		return t.UnixNano(), false, nil
	}
	if math.IsNaN(v) || math.Abs(v) > maxSeconds {
		return 0, false, fmt.Errorf("time %.64q: no number of seconds is that large; milliseconds are divided by 1000", text)
	}
	// A float of seconds since the epoch is exact to 0.2 us, which no figure shows.
	return int64(math.Round(v * 1e9)), math.Abs(v) < RelativeBelow, nil
}
