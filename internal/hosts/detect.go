package hosts

import (
	"bytes"
	"iter"
	"slices"
)

// sniffed is how many bytes of a file say what it is.
const sniffed = 64 << 10

// kindOf returns the kind of a text by its first lines. A few kinds have a sign that no other
// text has; for the rest the kind counts that most lines could be.
func kindOf(head []byte) Kind {
	if isBinary(head) {
		return Unknown
	}
	if bundleHead().Match(head) {
		return Bundle
	}
	var could []Kind // of each line that does not decide
	votes, stamps := map[Kind]int{}, 0
	for line := range firstLines(head) {
		if _, rest, _, ok := stampOf(line); ok {
			if stamps++; len(rest) == 0 {
				continue
			}
			line = rest
		}
		if k, sure := kindOfLine(line); sure {
			return k
		} else if k != Unknown {
			votes[k]++
			could = append(could, k)
		}
	}
	switch {
	case len(could) > 0:
		return slices.MaxFunc(could, func(a, b Kind) int { return votes[a] - votes[b] })
	case stamps > 0:
		return SS // of a host without a socket
	}
	return Unknown
}

// hasStamp reports whether one of the first lines is a stamp, or has one.
func hasStamp(head []byte) bool {
	for line := range firstLines(head) {
		if _, _, _, ok := stampOf(line); ok {
			return true
		}
	}
	return false
}

// firstLines returns the lines that say what a file is, without their ends and empty ones.
func firstLines(head []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		n := 0
		for line := range bytes.Lines(head) {
			line = bytes.TrimRight(line, " \t\r\n")
			if n++; n > 400 || len(line) > 0 && !yield(line) {
				return
			}
		}
	}
}

// isBinary reports whether bytes are no text.
func isBinary(head []byte) bool {
	odd := 0
	for _, c := range head {
		switch {
		case c == 0:
			return true
		case c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != 0x1b, c == 0x7f, c == 0xff, c == 0xfe:
			odd++
		}
	}
	return odd*20 > len(head)
}

// bundleHead finds the head of a part of a bundle: a rule of "=", a command, and another rule.
var bundleHead = pattern(`(?m)^={10,}[ \t\r]*\n[^=\n].*\n={10,}[ \t\r]*$`)

// isRule reports whether a line is a rule of "=".
func isRule(line []byte) bool {
	return len(line) >= 10 && len(bytes.Trim(line, "=")) == 0
}
