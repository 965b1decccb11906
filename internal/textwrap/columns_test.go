package textwrap_test

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/textwrap"
)

// TestColumns: the most important columns that fit, in the order of the rows, however the text comes.
func TestColumns(t *testing.T) {
	const rows = "from\tid\tnote\tbytes\n10.0.0.1\t1\tä\t512\n10.0.0.1:500\t2\t-\t1500000\n"
	for width, want := range map[int]string{
		11: "id  bytes\n1   512\n2   1500000\n",
		20: "id  bytes\n1   512\n2   1500000\n",                                              // from needs 21
		21: "from      id  bytes\n10.0.0.1  1   512\n10.0.0.1:500 2   150…\n",                // a long cell moves the rest
		26: "from      id  note bytes\n10.0.0.1  1   ä    512\n10.0.0.1:500 2   -    150…\n", // 4 + 8 + 10 + 4
	} {
		for _, step := range []int{1, 7, len(rows)} {
			var out strings.Builder
			c := textwrap.NewColumns(&out, width, "id:3 bytes:7 from:9 note:4")
			for text := rows; text != ""; text = text[min(step, len(text)):] {
				n, err := c.Write([]byte(text[:min(step, len(text))]))
				assert.Check(t, err == nil && n == min(step, len(text)))
			}
			assert.Check(t, is.Equal(out.String(), want), "width %d, %d bytes at once", width, step)
			assert.Check(t, is.Len(c.LeftOut(), 4-len(strings.Fields(strings.SplitN(want, "\n", 2)[0]))))
		}
	}
}
