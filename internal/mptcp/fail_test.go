package mptcp

import (
	"testing"

	"gotest.tools/v3/assert"
)

func TestFail(t *testing.T) {
	checkForms(t, ParseFail, []form[Fail]{
		{"as captured", "1e 0c 60 00 6adf98585fb06bbf", Fail{DSN: 0x6adf98585fb06bbf}},
		{"DSN 0", "1e 0c 60 00 0000000000000000", Fail{}},
	})
}

func TestFailLengths(t *testing.T) {
	checkLengths(t, ParseFail, 0x60, 0, 12)
}

func TestFailIgnoresReservedBits(t *testing.T) {
	var f Fail
	err := ParseFail(unhex(t, "1e 0c 6f ff 0000000000000009"), &f)
	assert.Check(t, err == nil && f.DSN == 9, "got %+v, %v; want DSN 9", f, err)
}
