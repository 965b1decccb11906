package mptcp

import (
	"bytes"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

func TestRemoveAddr(t *testing.T) {
	longest := RemoveAddr{N: 37} // 40 bytes of options less kind, length and subtype
	var hex strings.Builder
	hex.WriteString("1e 28 40 ")
	for i := range longest.List {
		longest.List[i] = 0xab
		hex.WriteString("ab")
	}
	checkForms(t, ParseRemoveAddr, []form[RemoveAddr]{
		{"one id", "1e 04 40 01", RemoveAddr{N: 1, List: [37]uint8{1}}},
		{"two ids", "1e 05 40 02 07", RemoveAddr{N: 2, List: [37]uint8{2, 7}}},
		{"id 0", "1e 04 40 00", RemoveAddr{N: 1}},
		{"as many as fit", hex.String(), longest},
	})
}

func TestRemoveAddrLengths(t *testing.T) {
	var legal []int
	for n := 4; n <= 40; n++ {
		legal = append(legal, n)
	}
	checkLengths(t, ParseRemoveAddr, 0x40, 1, legal...)
}

func TestRemoveAddrAddressIDs(t *testing.T) {
	var r RemoveAddr
	assert.NilError(t, ParseRemoveAddr(unhex(t, "1e 06 4f 05 00 03"), &r))
	if want := []byte{5, 0, 3}; !bytes.Equal(r.AddressIDs(), want) {
		t.Errorf("got %v, want %v", r.AddressIDs(), want)
	}
}
