package decode

import (
	"math"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/capture"
)

// TestLinkTypesHaveShapes: each link type that is read has a frame in shapes. Of the others the
// decoder says so.
func TestLinkTypesHaveShapes(t *testing.T) {
	read := map[capture.LinkType]bool{}
	for _, s := range shapes(t) {
		read[s.link] = true
	}
	for link := range capture.LinkType(math.MaxUint16) {
		frame := link.Framing()
		switch known := frame.Layer != capture.UnknownLayer; {
		case known && !read[link]:
			t.Errorf("%v has a layer in capture/linktype.go, and no frame in shapes. Add one to shapes_test.go", link)
		case read[link] && !known:
			t.Errorf("%v has a frame in shapes, and no layer. Add a row with its layer to framings in capture/linktype.go", link)
		}
		assert.Check(t, frame.Layer == capture.UnknownLayer || frame.Name != "", "%v is read, and has no name", link)
	}
}
