package hosts

import (
	"bytes"
	"strings"
	"time"
)

// stampOf reads the stamp at the start of a line: epoch seconds, a date in the forms of date
// and of RFC 3339, or seconds in a comment. It returns what is behind the stamp, and how fine
// the stamp is. The year of a stamp without one is 1970; who joins rows to packets finds the
// difference.
func stampOf(line []byte) (at int64, rest []byte, resolution int64, ok bool) {
	if len(line) == 0 {
		return 0, nil, 0, false
	}
	switch c := line[0]; {
	case c >= '0' && c <= '9':
		if at, rest, resolution, ok = epochStamp(line); ok {
			return at, rest, resolution, true
		}
		return isoStamp(line)
	case c == '#':
		return commentStamp(line)
	case c >= 'A' && c <= 'Z':
		return dateStamp(line)
	}
	return 0, nil, 0, false
}

// epochStamp reads seconds since the Unix epoch. A busybox without fractions prints ".%N"
// behind whole seconds.
func epochStamp(line []byte) (at int64, rest []byte, resolution int64, ok bool) {
	word, rest := untilBlank(line)
	whole, fraction, _ := bytes.Cut(word, []byte("."))
	if len(whole) != 10 {
		return 0, nil, 0, false
	}
	s, ok := number(whole)
	if !ok {
		return 0, nil, 0, false
	}
	if len(fraction) == 0 || string(fraction) == "%N" {
		return s * 1e9, rest, 1e9, true
	}
	n, resolution, ok := nanoseconds(fraction)
	return s*1e9 + n, rest, resolution, ok
}

// untilBlank cuts a line at its first blank. The blank stays with the rest: it says that a
// line continues a row.
func untilBlank(line []byte) (word, rest []byte) {
	if i := bytes.IndexAny(line, " \t"); i >= 0 {
		return line[:i], bytes.TrimPrefix(line[i:], []byte(" "))
	}
	return line, nil
}

// nanoseconds reads the fraction of a second.
func nanoseconds(digits []byte) (ns, resolution int64, ok bool) {
	if len(digits) == 0 || len(digits) > 9 {
		return 0, 0, false
	}
	ns, ok = number(digits)
	resolution = 1
	for range 9 - len(digits) {
		ns, resolution = ns*10, resolution*10
	}
	return ns, resolution, ok
}

// isoStamp reads 2026-11-25 17:20:04.235367791+00:00, with T or a blank, a point or a comma,
// and with or without fraction and zone.
func isoStamp(line []byte) (at int64, rest []byte, resolution int64, ok bool) {
	const whole = "2006-01-02 15:04:05"
	if len(line) < len(whole) || line[4] != '-' || line[10] != ' ' && line[10] != 'T' {
		return 0, nil, 0, false
	}
	t, err := time.Parse(time.DateOnly+" "+time.TimeOnly, string(line[:10])+" "+string(line[11:len(whole)]))
	if err != nil {
		return 0, nil, 0, false
	}
	rest, resolution = line[len(whole):], 1e9
	var ns int64
	if len(rest) > 0 && (rest[0] == '.' || rest[0] == ',') {
		n := 1
		for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		if ns, resolution, ok = nanoseconds(rest[1:n]); !ok {
			return 0, nil, 0, false
		}
		rest = rest[n:]
	}
	zone, rest := zoneOf(rest)
	return t.Unix()*1e9 + ns - zone, bytes.TrimPrefix(rest, []byte(" ")), resolution, true
}

// zoneOf reads a time zone: Z, +00:00 or +0000.
func zoneOf(b []byte) (offset int64, rest []byte) {
	if len(b) > 0 && b[0] == 'Z' {
		return 0, b[1:]
	}
	if len(b) < 5 || b[0] != '+' && b[0] != '-' {
		return 0, b
	}
	minutes, n := b[3:], 5
	if b[3] == ':' {
		if len(b) < 6 {
			return 0, b
		}
		minutes, n = b[4:], 6
	}
	h, ok := number(b[1:3])
	m, ok2 := number(minutes[:2])
	if !ok || !ok2 {
		return 0, b
	}
	offset = (h*60 + m) * 60 * 1e9
	if b[0] == '-' {
		offset = -offset
	}
	return offset, b[n:]
}

// commentStamp reads "# t=12.345" and "# 12.345".
func commentStamp(line []byte) (at int64, rest []byte, resolution int64, ok bool) {
	text := bytes.TrimLeft(line[1:], " ")
	text, named := bytes.CutPrefix(text, []byte("t="))
	if !named {
		return 0, nil, 0, false
	}
	whole, fraction, _ := bytes.Cut(text, []byte("."))
	s, ok := number(whole)
	if !ok || s > 1e10 {
		return 0, nil, 0, false
	}
	if len(fraction) == 0 {
		return s * 1e9, nil, 1e9, true
	}
	ns, resolution, ok := nanoseconds(fraction[:min(len(fraction), 9)])
	return s*1e9 + ns, nil, resolution, ok
}

// dateForms are the forms of date, and of lines that ts stamps.
var dateForms = []string{
	"Mon Jan _2 15:04:05 MST 2006",
	"Mon Jan _2 03:04:05 PM MST 2006",
	"Mon _2 Jan 15:04:05 MST 2006",
	"Mon _2 Jan 2006 15:04:05 MST",
	"Mon _2 Jan 2006 03:04:05 PM MST",
	"Mon Jan _2 15:04:05 2006",
}

// dateStamp reads what date prints, and the stamp that ts puts before a line.
func dateStamp(line []byte) (at int64, rest []byte, resolution int64, ok bool) {
	const stamped = "Jan _2 15:04:05"
	if len(line) >= len(stamped) && line[3] == ' ' && line[9] == ':' {
		if t, err := time.Parse(stamped, string(line[:len(stamped)])); err == nil {
			return t.AddDate(1970, 0, 0).Unix() * 1e9, bytes.TrimPrefix(line[len(stamped):], []byte(" ")), 1e9, true
		}
	}
	if len(line) > 40 || len(line) < 20 || oneOf(weekdays, line[:3]) == "" {
		return 0, nil, 0, false
	}
	text := strings.Join(strings.Fields(string(line)), " ")
	for _, form := range dateForms {
		if t, err := time.Parse(strings.ReplaceAll(form, "_2", "2"), text); err == nil {
			return t.Unix() * 1e9, nil, 1e9, true
		}
	}
	return 0, nil, 0, false
}

var weekdays = []string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}
