package hosts

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"regexp"
	"slices"
	"sync"
)

// maxLine is the size of the buffers from which lines are read. It bounds a line: what is behind it is not read. A row
// of ss has at most a few thousand bytes. That many bytes of a file say what it is, too.
const maxLine = 64 << 10

// lines reads a text line by line.
type lines struct {
	r      *bufio.Reader // its buffer bounds a line
	n      int           // number of the line, from 1
	text   []byte        // the line without its end
	size   int           // of the line with its end, bytes
	broken bool          // the line has no end: the text stops in it
	err    error         // why the text ended, other than its end
	stamp  int64         // of the line, before it or in the line before; see [Host.partReader]
}

// next reads a line, and reports whether there is one.
func (l *lines) next() bool {
	text, err := l.r.ReadSlice('\n')
	l.size = len(text)
	if errors.Is(err, bufio.ErrBufferFull) {
		text = slices.Concat(text, []byte("\n"))
		for more := text; errors.Is(err, bufio.ErrBufferFull); l.size += len(more) {
			more, err = l.r.ReadSlice('\n')
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		l.err = err
	}
	if len(text) == 0 {
		return false
	}
	l.n++
	l.broken = err != nil
	l.text = bytes.TrimRight(text, " \t\r\n")
	return true
}

// lazily is a pattern that is compiled when it is used first.
type lazily func() *regexp.Regexp

func pattern(text string) lazily {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// nextWord returns the first word of b, and what is behind it. Words are separated by blanks.
func nextWord(b []byte) (word, rest []byte) {
	i := 0
	for i < len(b) && (b[i] == ' ' || b[i] == '\t') {
		i++
	}
	b = b[i:]
	for i = 0; i < len(b) && b[i] != ' ' && b[i] != '\t'; i++ {
	}
	return b[:i], b[i:]
}

// number reads decimal digits. A row has some twenty numbers: strconv takes a sixth of the rows a second.
func number(b []byte) (v int64, ok bool) {
	if len(b) == 0 || len(b) > 19 {
		return 0, false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + int64(c-'0')
	}
	if v < 0 { // beyond 63 bits
		return 0, false
	}
	return v, true
}

// float reads a decimal number with or without a fraction.
func float(b []byte) (v float64, ok bool) {
	whole, fraction, dot := bytes.Cut(b, []byte("."))
	n, ok := number(whole)
	if !dot {
		return float64(n), ok
	}
	fraction = fraction[:min(len(fraction), 15)]
	f, digits := number(fraction)
	return float64(n) + float64(f)/math.Pow10(len(fraction)), ok && digits
}
