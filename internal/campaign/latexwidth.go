package campaign

import "strings"

// cmr10 holds the widths of characters of Computer Modern Roman at 10 pt, in pt (cmr10.tfm),
// except those that are 5 pt wide, as digits are. Other common typefaces, such as Times, are
// narrower.
var cmr10 = map[rune]float64{
	' ': 3.33, '!': 2.78, '#': 8.33, '%': 8.33, '&': 7.78, '\'': 2.78, '(': 3.89, ')': 3.89, '+': 7.78, ',': 2.78, '-': 3.33, '.': 2.78,
	':': 2.78, ';': 2.78, '<': 7.78, '=': 7.78, '>': 7.78, '?': 4.72, '@': 7.78, '[': 2.78, ']': 2.78, '`': 2.78, '_': 4, '|': 2.78,
	'A': 7.5, 'B': 7.08, 'C': 7.22, 'D': 7.64, 'E': 6.81, 'F': 6.53, 'G': 7.85, 'H': 7.5, 'I': 3.61, 'J': 5.14, 'K': 7.78, 'L': 6.25, 'M': 9.17,
	'N': 7.5, 'O': 7.78, 'P': 6.81, 'Q': 7.78, 'R': 7.36, 'S': 5.56, 'T': 7.22, 'U': 7.5, 'V': 7.5, 'W': 10.28, 'X': 7.5, 'Y': 7.5, 'Z': 6.11,
	'b': 5.56, 'c': 4.44, 'd': 5.56, 'e': 4.44, 'f': 3.06, 'h': 5.56, 'i': 2.78, 'j': 3.06, 'k': 5.28, 'l': 2.78, 'm': 8.33, 'n': 5.56,
	'p': 5.56, 'q': 5.28, 'r': 3.92, 's': 3.94, 't': 3.89, 'u': 5.56, 'v': 5.28, 'w': 7.22, 'x': 5.28, 'y': 5.28, 'z': 4.44,
	'±': 7.78, '²': 4.49,
}

const (
	otherASCII = 5.0
	beyond     = 10.0 // of characters that this typeface may not have
	boldPart   = 1.15 // how much wider bold digits are (cmbx10.tfm)
)

// texWidth returns the width of a text at 10 pt, in pt.
func texWidth(s string) (w float64) {
	for _, r := range printable(s) {
		v, known := cmr10[r]
		switch {
		case known:
			w += v
		case r < 0x80:
			w += otherASCII
		default:
			w += beyond
		}
	}
	return w
}

// broken breaks a text into lines of at most limit pt at 10 pt, after blanks and punctuation;
// a part without such a place may be wider.
func broken(s string, limit float64) (lines []string) {
	if texWidth(s) <= limit {
		return []string{s}
	}
	from, end, used := 0, 0, 0.0 // of the line, which is measured part by part: a name may be long
	for _, part := range breakable(s) {
		if w := texWidth(strings.TrimRight(part, " ")); w > 0 && end > from && used+w > limit {
			lines, from, used = append(lines, strings.TrimRight(s[from:end], " ")), end, 0
		}
		used += texWidth(part)
		end += len(part)
	}
	return append(lines, strings.TrimRight(s[from:], " "))
}

// breakable cuts a text after each character that a line may end with.
func breakable(s string) (parts []string) {
	for s != "" {
		at := strings.IndexAny(s, " -/_,;")
		if at < 0 || at == len(s)-1 {
			return append(parts, s)
		}
		parts, s = append(parts, s[:at+1]), s[at+1:]
	}
	return parts
}

// widest returns the width of the widest of some lines.
func widest(lines []string) (w float64) {
	for _, l := range lines {
		w = max(w, texWidth(l))
	}
	return w
}
