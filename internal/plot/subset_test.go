package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"testing"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// outline returns the shape of a character.
func outline(t *testing.T, font []byte, r rune) sfnt.Segments {
	t.Helper()
	f, err := sfnt.Parse(font)
	assert.NilError(t, err)
	var scratch sfnt.Buffer
	i, err := f.GlyphIndex(&scratch, r)
	assert.NilError(t, err)
	s, err := f.LoadGlyph(&scratch, i, fixed.I(100), nil)
	assert.NilError(t, err, "%q", r)
	return s
}

// TestSubset: characters that are used look as before, among them one that is
// made of two; the others have no outline.
func TestSubset(t *testing.T) {
	const used = "Ax8(→ä"
	small, err := subset(liberationsansregular.TTF, []rune(used))
	assert.NilError(t, err)
	assert.Check(t, len(small) <= len(liberationsansregular.TTF)/5, "%d bytes of %d are left", len(small), len(liberationsansregular.TTF))
	for _, r := range used {
		want := outline(t, liberationsansregular.TTF, r)
		diff := cmp.Diff(want, outline(t, small, r))
		assert.Check(t, diff == "" && len(want) != 0, "%q looks different: %s", r, diff)
	}
	for _, r := range "QÖ" {
		assert.Check(t, is.Equal(len(outline(t, small, r)), 0), "parts of the outline of %q, which is not used", r)
	}
	// The sum of a whole font is this number (ISO/IEC 14496-22, table head).
	assert.Check(t, checksum(small) == 0xb1b0afba, "checksum %#x", checksum(small))
}

// TestSubsetOfNoFont: what is no font is refused.
func TestSubsetOfNoFont(t *testing.T) {
	for _, font := range [][]byte{nil, []byte("no font at all"), liberationsansregular.TTF[:100]} {
		_, err := subset(font, []rune("a"))
		assert.Check(t, errors.Is(err, errFont), "%d bytes: %v, want that it is no font", len(font), err)
	}
}

// TestEmbeddedFont: a text that begins like a font, or is an empty one, is not taken for the font;
// the letters of all texts are found.
func TestEmbeddedFont(t *testing.T) {
	const begin, font = "url(data:font/ttf;charset=utf-8;base64,", "AAEC+/8="
	for _, before := range []string{"", "<text>" + begin + "</text>", "<text>" + begin + ")</text>", "<text>" + begin + "AA</text>", "<text>" + begin + "A A)</text>"} {
		svg := before + "<style>" + begin + font + ")</style>"
		from, to := embeddedFont([]byte(svg))
		assert.Check(t, is.Equal(svg[from:to], font), "%s: the font", svg)
	}
	for _, none := range []string{"", begin, begin + font, begin + ")"} {
		from, to := embeddedFont([]byte(none))
		assert.Check(t, from == to, "%q has a font from %d to %d", none, from, to)
	}
	assert.Check(t, is.Equal(string(written([]byte("<g>no<text x='1'\n>ä&amp;</text>no<text></text><text>b\nc</text>no<text>no"))), "ä&amp;b\nc"), "the texts")
}

// TestSVGOfAnyName: an SVG file is well-formed XML whatever titles, labels and names hold: every byte
// alone and many together.
func TestSVGOfAnyName(t *testing.T) {
	names := []string{"]]><script>&\"'", "\u202eevil", "\ufffe\uffff", "%s\\"}
	for from := 0; from < 256; from += 8 {
		var together []byte
		for b := from; b < from+8; b++ {
			names, together = append(names, "x"+string([]byte{byte(b)})+"y"), append(together, byte(b))
		}
		names = append(names, string(together))
	}
	for some := range slices.Chunk(names, 40) {
		f := &Figure{Title: some[0]}
		for i := range some {
			f.Panels = append(f.Panels, Panel{Head: some[i], X: some[i], Y: some[i], Names: some[:1-i%2], Layers: []Layer{{Name: some[i], Shape: Line}}})
		}
		var b bytes.Buffer
		assert.NilError(t, f.Write(&b, "svg", Layout{Size: Size{Width: 30, Height: 30}}))
		for d := xml.NewDecoder(&b); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("names from %q on: %v", some[0], err)
			}
		}
	}
}
