package hosts

import (
	"bytes"
	"slices"
)

// kindOf returns the kind of a text by its first lines, and whether one of them is a stamp or has one. A few
// kinds have a sign that no other text has; for the rest the kind counts that most lines could be.
func kindOf(head []byte) (k Kind, stamped bool) {
	if bytes.IndexByte(head, 0) >= 0 { // no text
		return Unknown, false
	}
	var could []Kind // of each line that has a form
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
		fits := func(x lineForm) bool { return x.tells != "" && x.pattern().Match(line) }
		if i := slices.IndexFunc(forms(), fits); i >= 0 {
			if k, certain = forms()[i].kind, forms()[i].tells == "sure"; k != Unknown {
				votes[k]++
				could = append(could, k)
			}
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

// bundleHead finds the head of a part of a bundle: a rule of "=", a command, and another rule.
var bundleHead = pattern(`(?m)^={10,}[ \t\r]*\n[^=\n].*\n={10,}[ \t\r]*$`)
