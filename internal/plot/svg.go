package plot

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"slices"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	ttf "github.com/tdewolff/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// svgCanvas draws an SVG file that contains the letters of its texts. The canvas of gonum embeds the whole font, which has half
// a megabyte.
type svgCanvas struct {
	*vgsvg.Canvas
	used map[rune]bool
}

func newSVG(wide, high vg.Length) *svgCanvas {
	return &svgCanvas{vgsvg.NewWith(vgsvg.UseWH(wide, high)), map[rune]bool{}}
}

func (c *svgCanvas) FillString(face font.Face, at vg.Point, text string) {
	for _, r := range text {
		c.used[r] = true
	}
	c.Canvas.FillString(face, at, text)
}

// WriteTo writes the file with its font. Joins of lines are round and their ends flat, as in the other formats: a mitred join leaves
// the data where a line turns sharply, a round end where it ends.
func (c *svgCanvas) WriteTo(w io.Writer) (int64, error) {
	var whole bytes.Buffer
	if _, err := c.Canvas.WriteTo(&whole); err != nil {
		return 0, err
	}
	letters, err := subset(liberationsansregular.TTF, slices.Sorted(maps.Keys(c.used)))
	if err != nil {
		return 0, fmt.Errorf("the font of the figure: %w", err)
	}
	head, body, _ := bytes.Cut(whole.Bytes(), []byte("<g "))
	head = bytes.Replace(head, []byte("xmlns="), []byte(`stroke-linejoin="round" xmlns=`), 1)
	n, err := fmt.Fprintf(w, "%s"+fontStyle+"<g %s", head, base64.StdEncoding.EncodeToString(letters), body)
	return int64(n), err
}

// fontStyle says which font the texts have.
const fontStyle = `<defs>
	<style>
		@font-face{
			font-family:"Liberation Sans";
			font-variant:normal;font-weight:normal;font-style:normal;
			src: url(data:font/ttf;charset=utf-8;base64,%s) format("truetype");
		}
	</style>
</defs>
`

// keptTables are the tables of a TrueType font that browsers need, and the table with the
// distances between pairs of letters.
var keptTables = []string{"OS/2", "cmap", "cvt ", "fpgm", "glyf", "head", "hhea", "hmtx", "kern", "loca", "maxp", "name", "post", "prep"}

// subset returns a TrueType font with these characters alone.
func subset(whole []byte, characters []rune) ([]byte, error) {
	f, err := ttf.ParseSFNT(whole, 0)
	if err != nil {
		return nil, err
	}
	glyphs := []uint16{f.GlyphIndex('\u25a1')} // a box: the first glyph stands for missing characters, and the library leaves its own empty
	for _, r := range characters {
		if i := f.GlyphIndex(r); !slices.Contains(glyphs, i) {
			glyphs = append(glyphs, i)
		}
	}
	small, err := f.Subset(glyphs, ttf.SubsetOptions{Tables: slices.Clone(keptTables)}) // it sorts them
	if err != nil {
		return nil, err
	}
	out := small.Write()
	redate(out, f.Tables["head"][modified:modified+8])
	return out, nil
}

// modified is where the table head has the time of the latest change, in seconds (ISO/IEC 14496-22).
const modified = 28

// redate gives a font the time of its latest change, for which the library takes the time of day. The checksum of the table and
// that of the file add up words of 32 bits.
func redate(font, date []byte) {
	be := binary.BigEndian
	record := font[bytes.Index(font, []byte("head")):]
	head := font[be.Uint32(record[8:]):]
	change := be.Uint32(date) + be.Uint32(date[4:]) - be.Uint32(head[modified:]) - be.Uint32(head[modified+4:])
	copy(head[modified:], date)
	be.PutUint32(record[4:], be.Uint32(record[4:])+change)
	be.PutUint32(head[8:], be.Uint32(head[8:])-2*change) // both the table and its checksum have changed
}
