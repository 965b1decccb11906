package capture

import (
	"encoding/binary"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// TestCommentsIn reads comments among other options, in both byte orders. An option that is
// longer than its block ends the list.
func TestCommentsIn(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		n := &ngReader{bigEndian: order == binary.AppendByteOrder(binary.BigEndian)}
		option := func(b []byte, code uint16, text string, size int) []byte {
			b = order.AppendUint16(order.AppendUint16(b, code), uint16(size))
			b = append(b, text...)
			for len(b)%4 != 0 {
				b = append(b, 0)
			}
			return b
		}
		data := []byte{1, 2, 3, 4, 5, 0, 0, 0} // five bytes and padding
		sound := option(option(option(data, 1, "first", 5), 2, "flag", 4), 1, "second one", 10)
		for _, c := range []struct {
			name string
			b    []byte
			want []string
		}{
			{"none", data, nil},
			{"two and another", sound, []string{"first", "second one"}},
			{"after the end", option(option(sound, 0, "", 0), 1, "late", 4), []string{"first", "second one"}},
			{"overruns", option(sound, 1, "x", 500), []string{"first", "second one"}},
			{"half an option", append(sound[:len(sound):len(sound)], 1, 0), []string{"first", "second one"}},
			{"no room for padding", data[:5], nil},
		} {
			assert.Check(t, is.DeepEqual(n.commentsIn(c.b, 5), c.want), "%s, %v:", c.name, order)
		}
	}
}
