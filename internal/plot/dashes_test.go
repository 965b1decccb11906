package plot

import (
	"fmt"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/palette"
)

// TestLinesOfManySubflows: no two of 64 paths have the same colour and pattern of dashes, whatever their names are, and a
// pattern is no longer than the sample in the legend.
func TestLinesOfManySubflows(t *testing.T) {
	for _, form := range []string{"10.2.1.%d-192.0.2.20", "path%d", "fd00::%x", "%d.wlan"} {
		var names []string
		for i := range 64 {
			names = append(names, fmt.Sprintf(form, 21+i))
		}
		k := &looks{paths: palette.Numbered(names)}
		seen := map[string]string{}
		for _, name := range names {
			var l Layer
			l.wear(k.path(name))
			at := fmt.Sprint(l.Colour, l.stroke(1).Dashes)
			assert.Check(t, seen[at] == "", "%s looks like %s", name, seen[at])
			seen[at] = name
		}
	}
	for _, pattern := range dashes {
		sum := 0.0
		for _, part := range pattern {
			sum += float64(part)
		}
		assert.Check(t, sum <= swatchEm*fontSize, "%v is %.1f points long", pattern, sum)
	}
}
