package hosts

import (
	"bytes"
	"strings"
	"sync"
	"time"
)

// stampForm is a form of stamps: a pattern whose groups are the time and its fraction, and what package
// time calls the form of the time; none for seconds since the Unix epoch. The year of a stamp without one is
// 1970; who joins rows to packets finds the difference.
type stampForm struct {
	pattern lazily
	forms   []string
}

// stampForms are the forms of stamps: seconds, of which a busybox without fractions prints ".%N"; RFC 3339
// and ISO 8601, with and without a zone; what ts puts before a line; and date.
var stampForms = sync.OnceValue(func() (all []stampForm) {
	for _, row := range table("stamps.txt") {
		all = append(all, stampForm{pattern(row[0]), row[1:]})
	}
	return all
})

// stampOf reads the stamp at the start of a line. It returns what is behind the stamp and a blank, and how
// fine the stamp is. The blank at the start of a line that continues a row stays.
func stampOf(line []byte) (at int64, rest []byte, resolution int64, ok bool) {
	if len(line) < 4 || (line[0] < '0' || line[0] > '9') && line[0] != '#' && line[3] != ' ' { // most lines
		return 0, nil, 0, false
	}
	for _, x := range stampForms() {
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
	if len(forms) == 0 {
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
