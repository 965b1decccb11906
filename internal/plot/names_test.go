package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"testing"
)

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
		if err := f.Write(&b, "svg", Layout{Size: Size{Width: 30, Height: 30}}); err != nil {
			t.Fatal(err)
		}
		for d := xml.NewDecoder(&b); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("names from %q on: %v", some[0], err)
			}
		}
	}
}
