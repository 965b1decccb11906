package packets

import (
	"bufio"
	"io"
	"strconv"

	"mpanalyze/internal/conn"
)

// header names the columns.
const header = "packet\ttime\tt_s\tkind\tid\tsubflow\tfrom\tto\tflags\tseq\tack\twindow\tlength\tssn\tdsn\tmapping\tmark\tdata_ack\trtt_ms\n"

// AllConnections selects every connection, plain TCP too.
const AllConnections = -1

// Lines is a module that writes a line for each packet, in the order of the
// capture, columns separated by tabs, "-" for what is not known. A connection gets its
// number with the answer to its SYN; until then its lines, and all lines after them,
// wait.
type Lines struct {
	out     *bufio.Writer
	only    int
	found   bool // a line was written of what only selects
	err     error
	waiting []waitingLine // bounded by twice maxWaiting
	first   int           // how many of them are out
	spare   [][]byte
}

// waitingLine is a line that waits for the number of its connection.
type waitingLine struct {
	conn       *conn.Conn
	head, tail []byte // in front of the number, and behind
}

// maxWaiting bounds the lines that wait. Where there are more, the first is written
// without its connection's number.
const maxWaiting = 4096

// New returns a module that writes to w, only of the Multipath TCP connection
// with that number unless it is [AllConnections].
func New(w io.Writer, only int) *Lines {
	l := &Lines{out: bufio.NewWriterSize(w, 64<<10), only: only}
	_, l.err = l.out.WriteString(header)
	return l
}

// Open returns the observer of a connection.
func (l *Lines) Open(*conn.Conn) conn.Observer { return watcher{lines: l} }

// Flush writes what still waits, and returns the error that ended the writing.
func (l *Lines) Flush() error {
	for l.first < len(l.waiting) {
		l.writeFirst()
	}
	if l.err == nil {
		l.err = l.out.Flush()
	}
	return l.err
}

// Found reports whether there was a line of the connection that was asked for.
// It is known after [Lines.Flush].
func (l *Lines) Found() bool { return l.found }

// watcher follows one connection; the order of lines is that of all.
type watcher struct {
	conn.Nop
	lines *Lines
}

func (w watcher) Packet(p *conn.Packet) {
	l := w.lines
	x := waitingLine{conn: p.Conn, head: appendHead(l.buffer(), p), tail: appendTail(l.buffer(), p)}
	l.waiting = append(l.waiting, x)
	for l.first < len(l.waiting) && (l.waiting[l.first].conn.ID >= 0 || len(l.waiting)-l.first > maxWaiting) {
		l.writeFirst()
	}
}

// buffer returns the memory of a line that was written.
func (l *Lines) buffer() []byte {
	if n := len(l.spare); n > 0 {
		b := l.spare[n-1]
		l.spare = l.spare[:n-1]
		return b
	}
	return make([]byte, 0, 160)
}

// writeFirst writes the first line that waits.
func (l *Lines) writeFirst() {
	x := l.waiting[l.first]
	if l.first++; l.first == len(l.waiting) || l.first > maxWaiting {
		l.waiting = append(l.waiting[:0], l.waiting[l.first:]...)
		l.first = 0
	}
	multipath := x.conn.Kind == conn.Multipath
	selected := l.only == AllConnections || multipath && x.conn.ID == l.only
	l.found = l.found || selected
	if l.err == nil && selected {
		b := append(x.head, "tcp\t"...)
		if multipath {
			b = append(x.head, "mptcp\t"...)
		}
		if x.conn.ID >= 0 {
			b = strconv.AppendInt(b, int64(x.conn.ID), 10)
		} else {
			b = append(b, '-')
		}
		if _, l.err = l.out.Write(b); l.err == nil {
			_, l.err = l.out.Write(x.tail)
		}
	}
	l.spare = append(l.spare, x.head[:0], x.tail[:0])
}
