package plot

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"mpanalyze/internal/textwrap"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// broken breaks a text into lines of this width: at spaces, else behind signs between words, else
// anywhere. It cuts nothing off.
func broken(words string, s text.Style, width vg.Length) string {
	lines := textwrap.Join(pieces(words, s, width), func(line string) bool { return s.Width(line) <= width })
	return strings.Join(lines, "\n")
}

// pieces returns the parts between which a text may be broken. None is wider than width, unless it
// is a single letter.
func pieces(words string, s text.Style, width vg.Length) (out []string) {
	fits := func(part string) bool { return s.Width(strings.TrimRight(part, " ")) <= width }
	text := together.ReplaceAllStringFunc(strings.Join(strings.Fields(words), " "), func(part string) string {
		return strings.ReplaceAll(part, " ", unbroken)
	})
	for _, word := range strings.SplitAfter(text, " ") {
		word = strings.ReplaceAll(word, unbroken, " ")
		parts := []string{word}
		if !fits(word) {
			parts = betweenSigns.FindAllString(word, -1)
		}
		for _, part := range parts {
			if fits(part) {
				out = append(out, part)
			} else {
				out = append(out, strings.Split(part, "")...)
			}
		}
	}
	return out
}

// betweenSigns matches the parts of a word up to and with each sign at which it may be broken.
var betweenSigns = regexp.MustCompile(`[^-/,:_.]*[-/,:_.]|[^-/,:_.]+`)

// together matches an arrow between two hosts, and a number with its unit. unbroken stands for a space in them, where no line ends.
var together = regexp.MustCompile(` \x{2192} |\d m?s\b`)

const unbroken = "\x00"

// fitted breaks a text into as few lines of this width, or of that of its widest word, as it needs, and makes them as narrow as that
// number allows.
func fitted(words string, s text.Style, width vg.Length) string {
	least := vg.Length(0)
	for word := range strings.FieldsSeq(words) {
		least = max(least, s.Width(word))
	}
	lines := broken(words, s, max(width, least))
	for {
		next := broken(words, s, max(least, 0.98*widest(lines, s)))
		if strings.Count(next, "\n") > strings.Count(lines, "\n") || widest(next, s) >= widest(lines, s) {
			return lines
		}
		lines = next
	}
}

// upperFirst returns a text with a capital letter at its beginning.
func upperFirst(words string) string {
	first, n := utf8.DecodeRuneInString(words)
	if n == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + words[n:]
}

// widest returns the width of the longest line.
func widest(lines string, s text.Style) (w vg.Length) {
	for l := range strings.SplitSeq(lines, "\n") {
		w = max(w, s.Width(l))
	}
	return w
}
