package packet

import (
	"bytes"
	"testing"

	"gotest.tools/v3/assert"
)

// synWith is a SYN with the options b, padded.
func synWith(b []byte) []byte {
	for len(b)%4 != 0 {
		b = append(b, kindEnd)
	}
	tcp := make([]byte, fixedLen, fixedLen+len(b))
	tcp[12], tcp[13] = uint8((fixedLen+len(b))/4)<<4, uint8(SYN)
	return append(tcp, b...)
}

func TestFastOpen(t *testing.T) {
	cookie := []byte{1, 2, 3, 4, 5, 6, 7, 8}
	long := bytes.Repeat([]byte{9}, 16)
	for _, c := range []struct {
		name   string
		option []byte
		form   FastOpenForm
		cookie []byte
	}{
		{"none", []byte{kindNOP}, NoFastOpen, nil},
		{"request", []byte{34, 2}, FastOpenKind, nil},
		{"cookie", append([]byte{34, 10}, cookie...), FastOpenKind, cookie},
		{"the longest cookie", append([]byte{34, 18}, long...), FastOpenKind, long},
		{"experimental request", []byte{254, 4, 0xf9, 0x89}, FastOpenExperimental, nil},
		{"experimental cookie", append([]byte{254, 12, 0xf9, 0x89}, cookie...), FastOpenExperimental, cookie},
		{"another experiment", []byte{254, 4, 0xf9, 0x8a}, NoFastOpen, nil},
		{"an experiment without identifier", []byte{254, 3, 0xf9}, NoFastOpen, nil},
		{"cookie too short", []byte{34, 4, 1, 2}, NoFastOpen, nil},
		{"cookie too long", append([]byte{34, 20}, append(long, 1, 2)...), NoFastOpen, nil},
		{"cookie of odd length", []byte{34, 7, 1, 2, 3, 4, 5}, NoFastOpen, nil},
	} {
		var s Segment
		tcp := synWith(c.option)
		assert.NilError(t, s.ParseTCP(tcp, len(tcp)))
		if s.FastOpen.Form != c.form || !bytes.Equal(s.FastOpen.Bytes(), c.cookie) {
			t.Errorf("%s: form %d, cookie %x; want %d, %x", c.name, s.FastOpen.Form, s.FastOpen.Bytes(), c.form, c.cookie)
		}
		tcp[13] = uint8(ACK) // of other packets it means nothing, and nothing is left of it
		if err := s.ParseTCP(tcp, len(tcp)); err != nil || s.FastOpen != (FastOpen{}) {
			t.Errorf("%s: without SYN %+v, %v", c.name, s.FastOpen, err)
		}
	}
}
