package plaintext

import (
	"fmt"
	"strings"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report"
)

const (
	// leastState is the part of the time from which on a summary shows a state, percent.
	leastState = 1
	// mainState is the same part for the line with which why opens, percent.
	mainState = 5
	// leastOpening is the least time of which why has such a line, ms.
	leastOpening = 1500
	// initialWindow is the data that a sender may send before any acknowledgment (RFC 6928, Section
	// 2), bytes.
	initialWindow = 14600
	// mostCells is the length of a bar of states where the terminal has room for it.
	mostCells = 60
)

// letters stand for the states in a bar.
var letters = map[string]string{
	"undetermined": "?", "down": "D", "recovery": "R", "rwnd": "r", "window": "W", "slow_start": "S", "path": "P",
	"congestion_window": "C", "scheduler": "s", "application": "A", "idle": ".",
}

// timeAccount writes what the time of a direction went to: a bar of letters, and the words and
// shares for which they stand, the longest first. One state alone needs no bar.
func (p *printer) timeAccount(direction string, d *report.ConnDir) {
	x := d.TimeAccount
	if x == nil || x.Undetermined.Percent > 100-leastState || !tells(x, report.Known(d.Bytes)) {
		return
	}
	head := direction + " time"
	if place := catalogue.EndWords(string(x.SeenAt)); place != "" && x.SeenAt != report.SeenAtSender {
		head += " " + place
	}
	p.states(head+": ", x.Longest(leastState))
}

// states writes states behind a heading.
func (p *printer) states(head string, list []report.NamedState) {
	switch len(list) {
	case 0:
		return
	case 1:
		p.wrapped("", "  ", head+fmt.Sprintf("%s %.0f%%", list[0].Name, list[0].Percent))
		return
	}
	var words []string
	for _, s := range list {
		words = append(words, fmt.Sprintf("%s %s %.0f%%", letters[s.Name], s.Name, s.Percent))
	}
	p.wrapped("", "  ", head+strings.Join(words, ", "))
	p.line("", "    ["+bar(list, min(mostCells, p.Width-len("    []")))+"]")
}

// opening writes the rate at which data of a direction was delivered and the states that took most of its time, with which why opens.
func (p *printer) opening(direction string, d *report.ConnDir) {
	x := d.TimeAccount
	if x == nil || x.DurationMS < leastOpening || !tells(x, report.Known(d.Bytes)) {
		return
	}
	text := fmt.Sprintf("%s, %s", direction, seconds(x.DurationMS/1e3))
	if d.Goodput != nil {
		text += ", " + rate(*d.Goodput) + " Mbit/s"
	}
	told := *x
	told.Undetermined = report.StateTime{}
	if shares := told.Shares(mainState); len(shares) > 0 {
		text += ": " + strings.Join(shares, ", ") + " of the time"
	}
	switch n := x.Undetermined.Percent; {
	case n > 100-mainState:
		text += "; a capture at the sender tells where the time went"
	case n >= mainState && x.SeenAt != report.SeenAtSender:
		text += fmt.Sprintf("; a capture at the sender tells of the other %.0f%%", n)
	}
	p.wrapped("", "  ", text)
}

// tells reports whether an account of a direction with so many bytes says anything. It does not
// where all data fits in the initial window, so that nothing but the application decided when it
// left.
func tells(x *report.TimeAccount, bytes int64) bool {
	quiet := x.Application.Percent + x.Idle.Percent + x.Undetermined.Percent
	return bytes > initialWindow || quiet <= 100-leastState
}

// bar divides a number of cells among states by their shares. Each has one cell at least; the
// others go to those whose share they fall short of by most.
func bar(list []report.NamedState, cells int) string {
	all := 0.0
	for _, s := range list {
		all += s.Percent
	}
	n := make([]int, len(list))
	short := func(i int) float64 { return list[i].Percent/all*float64(cells) - float64(n[i]) }
	for left := cells; left > 0; left-- {
		most := 0
		for i := range list {
			if n[i] == 0 && n[most] > 0 || (n[i] == 0) == (n[most] == 0) && short(i) > short(most) {
				most = i
			}
		}
		n[most]++
	}
	var b strings.Builder
	for i, s := range list {
		b.WriteString(strings.Repeat(letters[s.Name], n[i]))
	}
	return b.String()
}
