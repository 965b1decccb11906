package packets

import (
	"bufio"
	"io"
	"slices"
	"strings"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/mptcp"
)

// AllConnections selects every connection, plain TCP too.
const AllConnections = -1

// Options says which lines are written, and in which form.
type Options struct {
	Connection int             // number of the Multipath TCP connection, or [AllConnections]
	Events     bool            // only packets with an event, or with an MPTCP option other than DSS
	Subtypes   []mptcp.Subtype // only packets with an option of one of these, besides those of Events; empty and no Events for all
	EventLines bool            // an [EventLine] for each event in place of a line for each packet
	JSON       bool            // JSON in place of columns
	Normalise  bool            // replace or leave out what differs from run to run
	Fields     []Field         // only these fields, as tshark -T fields writes them; empty for columns or JSON
}

// Lines is a module that writes a line for each packet, in the order of the capture. A
// connection gets its number when its SYN is answered. Until then its lines wait, and all
// later lines with them.
type Lines struct {
	out     *bufio.Writer
	comment func(packet uint64, text []byte) error // takes the lines in place of out
	columns []Field
	absent  string // stands in the place of what is not known
	options Options
	render  renderer
	found   bool // there was a packet of the connection that was asked for
	err     error
	waiting []*line // bounded by twice maxWaiting
	first   int     // how many of them are written
	latest  *line   // the latest line, which may still get events
	spare   []*line
	buffer  []byte
	runs    int // ranges of all streams; bounded by maxAllRuns
}

const (
	// maxWaiting bounds the lines that wait. Beyond it the first is written without the
	// number of its connection.
	maxWaiting = 4096
	// maxEarly bounds the events of a connection that wait for its next packet.
	maxEarly = 64
)

// New returns a module that writes to w. [Lines.Flush] returns its errors.
func New(w io.Writer, o Options) *Lines {
	l := &Lines{out: bufio.NewWriterSize(w, 64<<10), options: o, columns: columns, absent: "-"}
	l.render.normalise = o.Normalise
	switch {
	case o.JSON: // no header
	case o.EventLines:
		_, l.err = l.out.WriteString(eventHeader)
	case len(o.Fields) > 0:
		l.columns, l.absent = o.Fields, ""
	default:
		_, l.err = l.out.WriteString(strings.Join(namesOf(columns), "\t") + "\n")
	}
	return l
}

// NewComments returns a module that gives comment, for each packet, its fields as name=value pairs
// with blanks between them. The text is valid during the call. Packets mostly come in their order.
// [Lines.Flush] gives the last ones.
func NewComments(comment func(packet uint64, text []byte) error) *Lines {
	return &Lines{out: bufio.NewWriter(io.Discard), comment: comment, options: Options{Connection: AllConnections}}
}

// Open returns the observer of a connection.
func (l *Lines) Open(c *conn.Conn) conn.Observer { return &watcher{lines: l, conn: c} }

// Flush writes the lines that still wait, and returns the first error of all writes.
func (l *Lines) Flush() error {
	l.latest = nil
	for l.first < len(l.waiting) {
		l.writeFirst()
	}
	if l.err == nil {
		l.err = l.out.Flush()
	}
	return l.err
}

// Found reports whether there was a packet of the connection that was asked for. It is
// known after [Lines.Flush].
func (l *Lines) Found() bool { return l.found }

// watcher follows one connection. All watchers share the order of the lines.
type watcher struct {
	conn.Nop
	lines *Lines
	conn  *conn.Conn
	sent  []*sentStream // by [conn.SubflowDir.DirIndex]
	data  [2]inFlight   // by the sender
	early []event       // events that wait for the next packet; bounded by maxEarly
}

// Packet keeps the line of a packet. Some of its events come before it and some after it,
// so the line waits for the next packet.
func (w *watcher) Packet(p *conn.Packet) {
	l := w.lines
	x := l.newLine()
	x.fill(p)
	w.originals(p, x)
	x.events = append(x.events, w.early...)
	w.early = w.early[:0]
	l.queue(x)
}

// queue keeps the latest line, and writes those before it that wait for nothing.
func (l *Lines) queue(x *line) {
	l.latest = nil
	for l.first < len(l.waiting) && (l.waiting[l.first].conn.ID >= 0 || len(l.waiting)-l.first > maxWaiting) {
		l.writeFirst()
	}
	l.waiting, l.latest = append(l.waiting, x), x
}

// Event keeps an event for the line of its packet. An ICMP error has a line of its own. An event about an earlier packet is in
// the line of the connection's next packet. If there is no next packet, it is in the
// connection's latest line, or, if lines of other connections followed that one, only in
// the report.
func (w *watcher) Event(e *conn.Event) {
	if e.Packet == 0 {
		return
	}
	x := event{packet: e.Packet, time: e.Time, sub: -1, from: e.From, kind: e.Kind, detail: e.Detail, Facts: e.Facts}
	if e.Sub != nil {
		x.sub = e.Sub.ID
	}
	if e.Kind == conn.EventFallback {
		x.code = w.conn.FallbackCode
	}
	switch last := w.lines.latest; {
	case e.Kind == conn.EventICMP:
		own := w.lines.newLine()
		own.fillICMP(w.conn, e, x)
		w.lines.queue(own)
	case last != nil && last.num == e.Packet:
		last.events = append(last.events, x)
	case len(w.early) < maxEarly:
		w.early = append(w.early, x)
	}
}

// Close frees the memory of ranges of the connection, and adds the remaining events to its
// latest line.
func (w *watcher) Close(int64) {
	for _, s := range w.sent {
		w.lines.runs -= s.list.Len()
	}
	for i := range w.data {
		w.lines.runs -= w.data[i].list.Len()
	}
	w.sent, w.data = nil, [2]inFlight{}
	if last := w.lines.latest; last != nil && last.conn == w.conn {
		last.events = append(last.events, w.early...)
	}
}

// newLine returns a line to be filled; it reuses a line that was written.
func (l *Lines) newLine() *line {
	if n := len(l.spare); n > 0 {
		x := l.spare[n-1]
		l.spare = l.spare[:n-1]
		return x
	}
	return new(line)
}

// writeFirst writes the first line that waits.
func (l *Lines) writeFirst() {
	x := l.waiting[l.first]
	if l.first++; l.first == len(l.waiting) || l.first > maxWaiting {
		l.waiting = append(l.waiting[:0], l.waiting[l.first:]...)
		l.first = 0
	}
	selected := l.options.Connection == AllConnections || x.conn.Kind == conn.Multipath && x.conn.ID == l.options.Connection
	l.found = l.found || selected
	if l.err == nil && selected && l.wanted(x) {
		l.write(x)
	}
	x.conn = nil
	l.spare = append(l.spare, x)
}

// write writes a line.
func (l *Lines) write(x *line) {
	if l.options.EventLines {
		for i := range x.events {
			l.writeEvent(x, &x.events[i])
		}
		return
	}
	if l.comment != nil {
		l.buffer = l.render.appendComment(l.buffer[:0], x)
		l.err = l.comment(x.num, l.buffer)
		return
	}
	if l.options.JSON {
		l.buffer = append(appendJSON(l.buffer[:0], l.render.record(x)), '\n')
	} else {
		l.buffer = l.render.appendLine(l.buffer[:0], x, l.columns, l.absent)
	}
	_, l.err = l.out.Write(l.buffer)
}

// writeEvent writes the line of an event.
func (l *Lines) writeEvent(x *line, e *event) {
	if l.err != nil {
		return
	}
	r := l.render.eventLine(x, e)
	if l.options.JSON {
		l.buffer = append(appendJSON(l.buffer[:0], r), '\n')
	} else {
		l.buffer = appendEventColumns(l.buffer[:0], e.time, e.time-x.start, r)
	}
	_, l.err = l.out.Write(l.buffer)
}

// wanted reports whether the filters accept a line.
func (l *Lines) wanted(x *line) bool {
	o := &l.options
	all := !o.Events && len(o.Subtypes) == 0
	return all || o.Events && len(x.events)+len(x.other) > 0 || x.hasSubtype(o.Subtypes)
}

// hasSubtype reports whether the packet has an option of one of the subtypes.
func (l *line) hasSubtype(want []mptcp.Subtype) bool {
	return l.hasDSS && slices.Contains(want, mptcp.SubDSS) || mptcp.Has(l.other, want...)
}
