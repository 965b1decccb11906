package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
)

// hostileNames returns names with every byte, some of them in a random order.
func hostileNames() (names []string) {
	r := rand.New(rand.NewPCG(7, 0))
	var all []byte
	for b := range 256 {
		names, all = append(names, "x"+string([]byte{byte(b)})+"y"), append(all, byte(b))
	}
	for range 20 {
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		names = append(names, string(all[:40]))
	}
	return append(names, "]]><script>&\"'", "\u202eevil", "\ufffe\uffff", "%s\\")
}

// TestSVGOfAnyName: an SVG file is well-formed XML whatever titles, labels and names
// hold.
func TestSVGOfAnyName(t *testing.T) {
	names := hostileNames()
	for at := 0; at < len(names); at += 40 {
		some := names[at:min(at+40, len(names))]
		f := &Figure{Title: some[0]}
		for i := range some {
			f.Panels = append(f.Panels, Panel{Head: some[i], X: some[i], Y: some[i], Layers: []Layer{{Name: some[i], Shape: Line}}})
			if i%2 == 0 {
				f.Panels[i].Names = some[:1]
			}
		}
		f.Panels = f.Panels[:min(len(f.Panels), 40)]
		var b bytes.Buffer
		if err := f.Write(&b, "svg", Layout{Size: Size{Width: 30, Height: 30}}); err != nil {
			t.Fatal(err)
		}
		d := xml.NewDecoder(&b)
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("names from %q on: %v", some[0], err)
			}
		}
	}
}
