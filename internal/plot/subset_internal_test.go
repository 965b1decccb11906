package plot

import (
	"testing"
)

// TestEmbeddedFont: a text that begins like a font, or is an empty one, is not taken for the font;
// the letters of all texts are found.
func TestEmbeddedFont(t *testing.T) {
	const begin, font = "url(data:font/ttf;charset=utf-8;base64,", "AAEC+/8="
	for _, before := range []string{"", "<text>" + begin + "</text>", "<text>" + begin + ")</text>", "<text>" + begin + "AA</text>", "<text>" + begin + "A A)</text>"} {
		svg := before + "<style>" + begin + font + ")</style>"
		from, to := embeddedFont([]byte(svg))
		if got := svg[from:to]; got != font {
			t.Errorf("%s: the font is %q, want %q", svg, got, font)
		}
	}
	for _, none := range []string{"", begin, begin + font, begin + ")"} {
		if from, to := embeddedFont([]byte(none)); from != to {
			t.Errorf("%q has a font from %d to %d", none, from, to)
		}
	}
	if got := string(written([]byte("<g>no<text x='1'\n>ä&amp;</text>no<text></text><text>b\nc</text>no<text>no"))); got != "ä&amp;b\nc" {
		t.Errorf("the texts are %q", got)
	}
}
