package live

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
	"mpanalyze/internal/textwrap"
)

// ScreenOptions say how a screen looks.
type ScreenOptions struct {
	Width, Height int    // columns and rows
	Color         bool   // whether to use colours
	Source        string // name of the capture or interface
}

// History keeps the latest changes of verdicts for a screen, the latest first.
type History []Verdict // bounded by maxHistory

// maxHistory bounds the verdicts of a history: no screen has more rows.
const maxHistory = 200

// Add adds the verdicts of an interval.
func (h *History) Add(v *Interval) {
	latest := slices.Clone(v.Verdicts)
	slices.Reverse(latest)
	*h = append(History(latest), *h...)
	*h = (*h)[:min(len(*h), maxHistory)]
}

// Screen returns an interval as rows of a screen: the busiest connections, as many as have room, then the latest verdicts. No
// row is longer than the width. v is nil before the end of the first interval.
func Screen(v *Interval, h History, o ScreenOptions) []string {
	o.Width, o.Height = max(o.Width, 20), max(o.Height, 6)
	s := screen{o: o}
	if v == nil {
		s.line(bold, "mpanalyze live  "+o.Source)
		s.line(dim, "waits for packets; q ends with the report")
		return s.rows
	}
	s.head(v)
	if o.Height < 16 { // on a small screen, connections come before verdicts
		h = nil
	}
	room, left := o.Height-1, v.Rest
	if len(h) > 0 { // with their head
		room -= 1 + min(len(h), o.Height/4)
	}
	for _, c := range slices.SortedStableFunc(slices.Values(v.Shown), func(a, b Connection) int { return cmp.Compare(b.amounts().Payload, a.amounts().Payload) }) {
		before := len(s.rows)
		if s.connection(&c); len(s.rows) > room {
			s.rows = s.rows[:before]
			left.Connections++
			left.add(c.amounts())
		}
	}
	if left.Connections > 0 {
		left.rates(max(1, int64(v.Seconds*1e9)))
		s.line(dim, fmt.Sprintf("and %s, %s Mbit/s", textwrap.Count(left.Connections, "more connection"), megabits(*left.Throughput)))
	}
	s.verdicts(h)
	return s.rows[:min(len(s.rows), o.Height)]
}

// screen collects rows.
type screen struct {
	o    ScreenOptions
	rows []string
}

// The looks of a row, as the parameter of an SGR sequence (ECMA-48).
const (
	normal = ""
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	amber  = "33"
)

// line adds a row, cut to the width.
func (s *screen) line(look, text string) {
	text = strings.TrimRight(text, " ")
	if row := []rune(text); len(row) > s.o.Width {
		text = string(row[:s.o.Width-1]) + "…"
	}
	if s.o.Color && look != normal && text != "" {
		text = "\x1b[" + look + "m" + text + "\x1b[0m"
	}
	s.rows = append(s.rows, text)
}

// head adds the rows above the connections.
func (s *screen) head(v *Interval) {
	s.line(bold, fmt.Sprintf("mpanalyze live  %s UTC, %.4g s, %s Mbit/s  %s", clock(v.End(), "15:04:05.0"), v.Seconds, optional(v.Throughput, megabits), s.o.Source))
	text := fmt.Sprintf("%s open, %d began, %d ended", textwrap.Count(v.Open, "connection"), v.Opened, v.Ended)
	if v.Late > 0 {
		text += fmt.Sprintf("; %s came late", textwrap.Count(v.Late, "packet"))
	}
	s.line(dim, text+"; q ends with the report")
	s.line(bold, figures("", "Mbit/s", "share", "SRTT ms", "lost", "loss", "in flight"))
}

func clock(ns int64, layout string) string { return time.Unix(0, ns).UTC().Format(layout) }

// nameWidth is the width of the name of a row, in columns.
const nameWidth = 30

// figures returns a row of figures. lost counts in the interval, loss in the time up to now.
func figures(name, rate, share, srtt, lost, loss, flight string) string {
	return fmt.Sprintf("%-*s %8s %6s %8s %5s %7s %9s", nameWidth, name, rate, share, srtt, lost, loss, flight)
}

// connection adds the rows of a connection: the direction that carries more, and the other one if that carries at least a
// tenth as much.
func (s *screen) connection(c *Connection) {
	busy := [2]int64{}
	for _, from := range sides {
		busy[from] = c.dir(from).Payload
		for i := range c.Subflows {
			busy[from] += c.Subflows[i].dir(from).InFlight
		}
	}
	for _, from := range sides {
		if other := busy[from.Other()]; busy[from]*10 >= other && (busy[from] > 0 || from == conn.A) {
			s.direction(c, from)
		}
	}
}

// direction adds the rows about the data that side from sends.
func (s *screen) direction(c *Connection, from conn.Side) {
	d := c.dir(from)
	ends := [2]string{c.A, c.B}
	s.line(normal, fmt.Sprintf("%-3s %s > %s", named(c.Connection), ends[from], ends[from.Other()]))
	about := c.state(from)
	if d.Rwnd != nil {
		about = append(about, fmt.Sprintf("window %s, %s free", byteText(*d.Rwnd), byteText(*d.RwndFree)))
	}
	s.line(normal, fmt.Sprintf("%-*s %8s  %s", nameWidth, "    all paths", optional(d.Throughput, megabits), strings.Join(about, "; ")))
	for i := range c.Subflows {
		f := &c.Subflows[i]
		x := f.dir(from)
		if !f.Open && x.Payload == 0 {
			continue
		}
		path := fmt.Sprintf("    %d %s", f.Subflow, f.Path)
		if f.Backup {
			path += " (backup)"
		}
		if utf8.RuneCountInString(path) > nameWidth {
			s.line(normal, path)
			path = ""
		}
		s.line(normal, figures(path, optional(x.Throughput, megabits), optional(x.Share, format[float64]("%.0f %%")), optional(x.SRTT, format[float64]("%.1f")),
			optional(x.Lost, format[int64]("%d")), optional(x.Loss, format[float64]("%.2f %%")), byteText(x.InFlight)))
		if text := f.kernelText(from); text != "" {
			s.line(dim, fmt.Sprintf("%-*s %s", nameWidth, "", text))
		}
	}
}

// named returns the id of a connection, which plain TCP does not have.
func named(id *int) string {
	if id == nil {
		return "tcp"
	}
	return strconv.Itoa(*id)
}

// state says what the data of side from waits for, or how the connection ended; nothing if there is nothing to say.
func (c *Connection) state(from conn.Side) []string {
	if d := c.dir(from); d.WaitsFor != nil {
		return []string{c.waitText(from, *d.WaitsFor)}
	}
	if c.State != report.ConnOpen && c.State != report.ConnSYNReceived {
		return []string{string(c.State)}
	}
	return nil
}

// waitText returns a text for a wait of side from.
func (c *Connection) waitText(from conn.Side, w Wait) string {
	switch d := c.dir(from); w {
	case WaitsForWindow:
		return "waits for the window"
	case WaitsForApplication:
		return "waits for the application"
	case WaitsForDataAck:
		return fmt.Sprintf("no DATA_ACK for %.1f s", *d.DataAck/1e3)
	}
	id, most := 0, 0.0
	for i := range c.Subflows {
		if s := c.Subflows[i].dir(from); s.Blocked != nil && *s.Blocked > most {
			id, most = c.Subflows[i].Subflow, *s.Blocked
		}
	}
	return fmt.Sprintf("waits for subflow %d", id)
}

// verdicts adds the latest verdicts, as far as there is room.
func (s *screen) verdicts(h History) {
	if len(h) > 0 {
		s.line(bold, "Verdicts")
	}
	for _, v := range h {
		text, look := fmt.Sprintf("%s: %s", v.Severity, v.Text), looks[v.Severity]
		if v.Change == Gone {
			text, look = "holds no more: "+v.Text, dim
		}
		start := fmt.Sprintf("%s %-3s ", clock(int64(v.Time), "15:04:05"), named(v.Connection))
		for _, row := range textwrap.Fill(text, start, strings.Repeat(" ", len(start)), s.o.Width) {
			s.line(look, row)
		}
	}
}

var looks = map[report.Severity]string{report.Critical: red, report.Major: amber, report.Fine: green}

// optional returns a value as text, or "-" if it is nil.
func optional[T any](v *T, text func(T) string) string {
	if v == nil {
		return "-"
	}
	return text(*v)
}

// format returns a function that writes a value.
func format[T any](verb string) func(T) string {
	return func(v T) string { return fmt.Sprintf(verb, v) }
}

func megabits(v float64) string {
	if v >= 1000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// byteText returns a number of bytes as text.
func byteText(n int64) string {
	switch {
	case n >= 10e6 || n <= -10e6:
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	case n >= 1e6 || n <= -1e6:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	case n >= 10e3 || n <= -10e3:
		return fmt.Sprintf("%.0f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%d B", n)
}
