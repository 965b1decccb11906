package hosts

import (
	"bytes"
	"strings"
	"time"
)

// stampForms are the forms of stamps: a pattern whose groups are the time and its fraction, and what package
// time calls the form of the time; none for seconds. The year of a stamp without one is 1970; who joins rows
// to packets finds the difference.
var stampForms = []struct {
	pattern lazily
	forms   []string
}{
	{pattern(`^(\d{10})(?:\.(\d{1,9}|%N)?)?`), nil}, // since the Unix epoch; a busybox without fractions prints ".%N"
	{pattern(`^(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,](\d{1,9}))?(?:Z|[+-]\d\d:?\d\d)?)`), isoForms},
	{pattern(`^# *t=(\d{1,10})(?:\.(\d{1,9})\d*)?$`), nil},
	{pattern(`^(\w{3} [ \d]\d \d\d:\d\d:\d\d)()`), []string{"Jan _2 15:04:05"}}, // what ts puts before a line
	{pattern(`^(\w{3} .{16,36})()$`), dateForms},
}

// isoForms are the forms of RFC 3339 and ISO 8601, with and without a zone.
var isoForms = []string{
	"2006-01-02 15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05Z0700",
	"2006-01-02T15:04:05", "2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700",
}

// dateForms are the forms of date.
var dateForms = []string{
	"Mon Jan _2 15:04:05 MST 2006",
	"Mon Jan _2 03:04:05 PM MST 2006",
	"Mon _2 Jan 15:04:05 MST 2006",
	"Mon _2 Jan 2006 15:04:05 MST",
	"Mon _2 Jan 2006 03:04:05 PM MST",
	"Mon Jan _2 15:04:05 2006",
}

// stampOf reads the stamp at the start of a line. It returns what is behind the stamp and a blank, and how
// fine the stamp is. The blank at the start of a line that continues a row stays.
func stampOf(line []byte) (at int64, rest []byte, resolution int64, ok bool) {
	if len(line) < 4 || (line[0] < '0' || line[0] > '9') && line[0] != '#' && line[3] != ' ' { // most lines
		return 0, nil, 0, false
	}
	for _, x := range stampForms {
		m := x.pattern().FindSubmatch(line)
		if m == nil {
			continue
		}
		rest := line[len(m[0]):]
		at, ok := timeOf(m[1], x.forms)
		if !ok || len(rest) > 0 && rest[0] != ' ' && rest[0] != '\t' {
			continue
		}
		resolution = 1e9
		if ns, ok := number(m[2]); ok {
			for range m[2] {
				resolution /= 10
			}
			at += ns * resolution
		}
		return at, bytes.TrimPrefix(rest, []byte(" ")), resolution, true
	}
	return 0, nil, 0, false
}

// timeOf reads a time of whole seconds, ns since the Unix epoch.
func timeOf(text []byte, forms []string) (at int64, ok bool) {
	if forms == nil {
		s, ok := number(text)
		return s * 1e9, ok
	}
	words := strings.Join(strings.Fields(string(text)), " ")
	for _, form := range forms {
		if t, err := time.Parse(strings.ReplaceAll(form, "_2", "2"), words); err == nil {
			if t.Year() == 0 {
				t = t.AddDate(1970, 0, 0)
			}
			return t.Unix() * 1e9, true
		}
	}
	return 0, false
}
