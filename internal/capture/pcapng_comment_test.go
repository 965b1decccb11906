package capture

import (
	"encoding/binary"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// TestCommentsIn reads comments among other options, in both byte orders. An option that is
// longer than its block ends the list.
func TestCommentsIn(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		n, file := &ngReader{bigEndian: order == binary.AppendByteOrder(binary.BigEndian)}, ng{order: order}
		data := []byte{1, 2, 3, 4, 5, 0, 0, 0} // five bytes and padding
		comment := func(text string) []byte { return file.option(1, []byte(text)...) }
		sound := slices.Concat(data, comment("first"), file.option(2, []byte("flag")...), comment("second one"))
		overrun := order.AppendUint16(order.AppendUint16(nil, 1), 500)
		for _, c := range []struct {
			name string
			b    []byte
			want []string
		}{
			{"none", data, nil},
			{"two and another", sound, []string{"first", "second one"}},
			{"after the end", slices.Concat(sound, file.option(0), comment("late")), []string{"first", "second one"}},
			{"overruns", slices.Concat(sound, overrun, comment("x")), []string{"first", "second one"}},
			{"half an option", slices.Concat(sound, []byte{1, 0}), []string{"first", "second one"}},
			{"no room for padding", data[:5], nil},
		} {
			assert.Check(t, is.DeepEqual(n.commentsIn(c.b, 5), c.want), "%s, %v:", c.name, order)
		}
	}
}
