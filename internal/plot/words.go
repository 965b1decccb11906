package plot

import (
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
	text := strings.ReplaceAll(strings.Join(strings.Fields(words), " "), " \u2192 ", unbroken)
	for _, word := range strings.SplitAfter(text, " ") {
		word = strings.ReplaceAll(word, unbroken, " \u2192 ")
		if s.Width(strings.TrimRight(word, " ")) <= width {
			out = append(out, word)
			continue
		}
		for word != "" {
			out = append(out, head(word, s, width))
			word = word[len(out[len(out)-1]):]
		}
	}
	return out
}

// unbroken stands for an arrow between two hosts, where no line ends.
const unbroken = "\x00"

// head returns the longest beginning of a word that fits and ends behind a sign between words, or
// else the longest that fits, of one letter at least.
func head(word string, s text.Style, width vg.Length) string {
	_, fits := utf8.DecodeRuneInString(word)
	sign := 0
	for i, r := range word {
		end := i + utf8.RuneLen(r)
		if r == utf8.RuneError || s.Width(word[:end]) > width {
			break
		}
		if fits = max(fits, end); strings.ContainsRune("-/,:_.", r) {
			sign = end
		}
	}
	if sign > 0 && fits < len(word) {
		return word[:sign]
	}
	return word[:fits]
}

// halves breaks a text into two lines if it is wider than width. It chooses the space that makes
// the longer line as short as possible.
func halves(words string, s text.Style, width vg.Length) string {
	if s.Width(words) <= width {
		return words
	}
	best, least := words, s.Width(words)
	for i, r := range words {
		if r != ' ' {
			continue
		}
		if w := max(s.Width(words[:i]), s.Width(words[i+1:])); w < least {
			best, least = words[:i]+"\n"+words[i+1:], w
		}
	}
	return best
}

// fitted breaks a text into two lines if it is wider than width, or into more if two do not fit. It
// breaks no word.
func fitted(words string, s text.Style, width vg.Length) string {
	out := halves(words, s, width)
	if widest(out, s) <= width {
		return out
	}
	for word := range strings.FieldsSeq(words) {
		width = max(width, s.Width(word))
	}
	return broken(words, s, width)
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
