package hosts

import (
	"bytes"
	"slices"
)

// kindOf returns the kind of a text by its first lines, and whether one of them is a stamp or has one. A few
// kinds have a sign that no other text has; for the rest the kind counts that most lines could be.
func kindOf(head []byte) (k Kind, stamped bool) {
	if isBinary(head) {
		return Unknown, false
	}
	var could []Kind // of each line that does not decide
	votes, certain, n := map[Kind]int{}, false, 0
	for line := range bytes.Lines(head) {
		line = bytes.TrimRight(line, " \t\r\n")
		if n++; n > 400 {
			break
		}
		if _, rest, _, ok := stampOf(line); ok {
			line, stamped = rest, true
		}
		if len(line) == 0 || certain {
			continue
		}
		if k, certain = kindOfLine(line); k != Unknown {
			votes[k]++
			could = append(could, k)
		}
	}
	switch {
	case bundleHead().Match(head):
		k = Bundle
	case certain:
	case len(could) > 0:
		k = slices.MaxFunc(could, func(a, b Kind) int { return votes[a] - votes[b] })
	case stamped:
		k = SS // of a host without a socket
	}
	return k, stamped
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
