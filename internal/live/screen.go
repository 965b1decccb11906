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

// History keeps the latest changes of verdicts for a screen.
type History struct {
	list []Verdict // bounded by maxHistory
}

// maxHistory bounds the verdicts of a history: no screen has more rows.
const maxHistory = 200

// Add adds the verdicts of an interval.
func (h *History) Add(v *Interval) {
	h.list = append(h.list, v.Verdicts...)
	if n := len(h.list) - maxHistory; n > 0 {
		h.list = slices.Delete(h.list, 0, n)
	}
}

// Screen returns an interval as rows of a screen. No row is longer than the width. v is nil
// before the end of the first interval.
func Screen(v *Interval, h *History, o ScreenOptions) []string {
	o.Width, o.Height = max(o.Width, 20), max(o.Height, 6)
	s := screen{o: o}
	if v == nil {
		s.line(bold, "mpanalyze live  "+o.Source)
		s.line(dim, "waits for packets; q ends with the report")
		return s.rows
	}
	s.head(v)
	shown := fitting(v, o.Height-len(s.rows)-s.verdictRows(h)-1, o.Width)
	left := v.Rest
	for i := range v.Shown {
		if c := &v.Shown[i]; shown[i] {
			s.connection(c)
		} else {
			left.Connections++
			left.add(c.amounts())
		}
	}
	if left.Connections > 0 {
		s.line(dim, fmt.Sprintf("and %s, %s Mbit/s", textwrap.Count(left.Connections, "more connection"), megabits(mbpsOver(left.Payload, v.Seconds))))
	}
	s.verdicts(h)
	s.reasons(v, shown)
	if len(s.rows) > o.Height {
		s.rows = s.rows[:o.Height]
	}
	return s.rows
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
	text = cut(strings.TrimRight(text, " "), s.o.Width)
	if s.o.Color && look != normal && text != "" {
		text = "\x1b[" + look + "m" + text + "\x1b[0m"
	}
	s.rows = append(s.rows, text)
}

// cut shortens a text to a number of columns.
func cut(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:width-1]) + "…"
}

// head adds the rows above the connections.
func (s *screen) head(v *Interval) {
	end := time.Unix(0, int64(v.Start)).Add(time.Duration(v.Seconds * 1e9)).UTC().Format("15:04:05.0")
	s.line(bold, fmt.Sprintf("mpanalyze live  %s UTC, %s s, %s Mbit/s  %s", end, strconv.FormatFloat(v.Seconds, 'g', 4, 64), optional(v.Throughput, megabits), s.o.Source))
	text := fmt.Sprintf("%s open, %d began, %d ended", textwrap.Count(v.Open, "connection"), v.Opened, v.Ended)
	if v.Late > 0 {
		text += fmt.Sprintf("; %s came late", textwrap.Count(v.Late, "packet"))
	}
	s.line(dim, text+"; q ends with the report")
	s.line(normal, "")
	s.line(bold, figures("", "Mbit/s", "share", "SRTT ms", "lost", "loss", "in flight"))
}

// nameWidth is the width of the name of a row, in columns.
const nameWidth = 30

// figures returns a row of figures. lost counts in the interval, loss in the time up to now.
func figures(name, rate, share, srtt, lost, loss, flight string) string {
	return fmt.Sprintf("%-*s %8s %6s %8s %5s %7s %9s", nameWidth, name, rate, share, srtt, lost, loss, flight)
}

// fitting returns which of the connections fit into this number of rows, the busiest first.
func fitting(v *Interval, rows, width int) map[int]bool {
	order := make([]int, len(v.Shown))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(v.Shown[b].amounts().Payload, v.Shown[a].amounts().Payload)
	})
	out := map[int]bool{}
	for _, i := range order {
		var one screen
		one.o.Width = width
		if one.connection(&v.Shown[i]); len(one.rows) <= rows {
			out[i] = true
			rows -= len(one.rows)
		}
	}
	return out
}

// connection adds the rows of a connection. It shows the direction that carried more, and the
// other direction if that carried at least a tenth as much.
func (s *screen) connection(c *Connection) {
	for _, from := range sides {
		d, other := c.dir(from), c.dir(from.Other())
		if d.Payload*10 >= other.Payload && (d.Payload > 0 || other.Payload == 0 && from == c.busy()) {
			s.direction(c, from)
		}
	}
}

// busy returns the sender of the direction to show if no payload passed: the direction with
// more data in flight.
func (c *Connection) busy() conn.Side {
	var flight [2]int64
	for i := range c.Subflows {
		for _, from := range sides {
			flight[from] += c.Subflows[i].dir(from).InFlight
		}
	}
	if flight[conn.B] > flight[conn.A] {
		return conn.B
	}
	return conn.A
}

// direction adds the rows about the data that side from sends.
func (s *screen) direction(c *Connection, from conn.Side) {
	d := c.dir(from)
	id := "tcp"
	if c.Connection != nil {
		id = strconv.Itoa(*c.Connection)
	}
	ends := [2]string{c.A, c.B}
	name, state := fmt.Sprintf("%-3s %s > %s", id, ends[from], ends[from.Other()]), c.state(from)
	if state != "" && utf8.RuneCountInString(name)+2+utf8.RuneCountInString(state) > s.o.Width {
		s.line(normal, name)
		name = "  "
	}
	s.line(normal, name+"  "+state)
	window := ""
	if d.Rwnd != nil {
		window = fmt.Sprintf("window %s, %s free", byteText(*d.Rwnd), byteText(*d.RwndFree))
	}
	s.line(normal, fmt.Sprintf("%-*s %8s  %s", nameWidth, "    all paths", optional(d.Throughput, megabits), window))
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
		s.line(normal, figures(path, optional(x.Throughput, megabits), optional(x.Share, func(v float64) string { return fmt.Sprintf("%.0f %%", v) }),
			optional(x.SRTT, func(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }), optional(x.Lost, func(v int64) string { return strconv.FormatInt(v, 10) }),
			optional(x.Loss, func(v float64) string { return fmt.Sprintf("%.2f %%", v) }), byteText(x.InFlight)))
		if text := f.kernelText(from); text != "" {
			s.line(dim, fmt.Sprintf("%-*s %s", nameWidth, "", text))
		}
	}
}

// state says what the data of side from waits for, or how the connection ended.
func (c *Connection) state(from conn.Side) string {
	if d := c.dir(from); d.WaitsFor != nil {
		return c.waitText(from, *d.WaitsFor)
	}
	if c.State != report.ConnOpen && c.State != report.ConnSYNReceived {
		return string(c.State)
	}
	return ""
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

// verdictRows returns how many rows are kept for verdicts.
func (s *screen) verdictRows(h *History) int {
	if len(h.list) == 0 || s.o.Height < 16 { // on a small screen, connections come before verdicts
		return 0
	}
	return 2 + min(len(h.list), (s.o.Height-8)/4)
}

// verdicts adds the latest verdicts, the latest first, as far as there is room.
func (s *screen) verdicts(h *History) {
	if len(h.list) == 0 || s.o.Height-len(s.rows) < 3 {
		return
	}
	s.line(normal, "")
	s.line(bold, "Verdicts")
	for _, v := range slices.Backward(h.list) {
		name := "tcp"
		if v.Connection != nil {
			name = strconv.Itoa(*v.Connection)
		}
		text, look := fmt.Sprintf("%s: %s", v.Severity, v.Text), looks[v.Severity]
		if v.Change == Gone {
			text, look = "holds no more: "+v.Text, dim
		}
		if !s.folded(look, fmt.Sprintf("%s %-3s ", time.Unix(0, int64(v.Time)).UTC().Format("15:04:05"), name), text) {
			return
		}
	}
}

// folded adds a text behind start and breaks it into rows. Further rows are indented. It reports
// whether there is room for more.
func (s *screen) folded(look, start, text string) bool {
	for _, row := range textwrap.Fill(text, start, strings.Repeat(" ", utf8.RuneCountInString(start)), s.o.Width) {
		s.line(look, row)
	}
	return len(s.rows) < s.o.Height
}

var looks = map[report.Severity]string{report.Critical: red, report.Major: amber, report.Fine: green}

// reasons adds why figures of the rows are not known, as far as there is room.
func (s *screen) reasons(v *Interval, shown map[int]bool) {
	var all []string
	for i := range v.Shown {
		for j := range v.Shown[i].Subflows {
			for _, from := range sides {
				d := v.Shown[i].Subflows[j].dir(from)
				for _, field := range []string{"srtt_ms", "lost_segments"} {
					if why, ok := d.Unavailable.Of(field); shown[i] && ok && d.Payload > 0 && !slices.Contains(all, why) {
						all = append(all, why)
					}
				}
			}
		}
	}
	if n := s.o.Height - len(s.rows) - 1; n > 0 && len(all) > 0 {
		s.line(normal, "")
		for _, why := range all[:min(len(all), n)] {
			s.line(dim, "-: "+why)
		}
	}
}

// optional returns a value as text, or "-" if it is nil.
func optional[T any](v *T, text func(T) string) string {
	if v == nil {
		return "-"
	}
	return text(*v)
}

func megabits(v float64) string {
	if v >= 1000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// mbpsOver returns the rate of bytes over a time in seconds, in Mbit/s. It is 0 if the time is 0.
func mbpsOver(bytes int64, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return float64(bytes) * 8e-6 / seconds
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
