package plot

import (
	"bytes"
	"encoding/binary"
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
		f, err := sfnt.Parse(small)
		assert.NilError(t, err)
		i, err := f.GlyphIndex(new(sfnt.Buffer), r)
		assert.Check(t, err == nil && i == 0, "glyph %d of %q, which is not used", i, r)
	}
	// The sum of a whole font is this number (ISO/IEC 14496-22, table head).
	assert.Check(t, checksum(small) == 0xb1b0afba, "checksum %#x", checksum(small))
}

// TestSubsetIsReproducible: the font has the date of the whole one, and is the same each time.
func TestSubsetIsReproducible(t *testing.T) {
	head := func(font []byte) []byte {
		at := bytes.Index(font, []byte("head"))
		return font[binary.BigEndian.Uint32(font[at+8:]):]
	}
	a, err := subset(liberationsansregular.TTF, []rune("abcß→"))
	assert.NilError(t, err)
	b, err := subset(liberationsansregular.TTF, []rune("abcß→"))
	assert.NilError(t, err)
	assert.Check(t, bytes.Equal(a, b) && bytes.Equal(head(a)[modified:modified+8], head(liberationsansregular.TTF)[modified:modified+8]))
	_, err = subset([]byte("no font at all"), nil)
	assert.Check(t, err != nil, "what is no font has a subset")
}

// checksum adds up a font as words of 32 bits.
func checksum(font []byte) (sum uint32) {
	for word := range slices.Chunk(font, 4) {
		sum += binary.BigEndian.Uint32(word)
	}
	return sum
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
