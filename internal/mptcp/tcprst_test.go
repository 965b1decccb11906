package mptcp

import (
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func TestTCPRST(t *testing.T) {
	checkForms(t, ParseTCPRST, []form[TCPRST]{
		{"as captured: unspecified", "1e 04 80 00", TCPRST{}},
		{"as captured: middlebox", "1e 04 80 06", TCPRST{Reason: ResetMiddlebox}},
		{"transient lack of resources", "1e 04 81 02", TCPRST{Flags: ResetTransient, Reason: ResetResources}},
		{"all bits", "1e 04 8f ff", TCPRST{Flags: ResetU | ResetV | ResetW | ResetTransient, Reason: 0xff}},
	})
}

func TestTCPRSTLengths(t *testing.T) {
	checkLengths(t, ParseTCPRST, 0x80, 0, 4)
}

func TestTransient(t *testing.T) {
	for flags := range ResetFlags(16) {
		r := TCPRST{Flags: flags}
		assert.Check(t, is.Equal(r.Transient(), flags%2 == 1), "flags %04b: Transient", flags)
	}
}

// The names are those of the registry in RFC 8684, Section 7.3.
func TestResetReasonString(t *testing.T) {
	for r, want := range map[ResetReason]string{
		0: "unspecified error",
		1: "MPTCP-specific error",
		2: "lack of resources",
		3: "administratively prohibited",
		4: "too much outstanding data",
		5: "unacceptable performance",
		6: "middlebox interference",
		7: "reason 7",
	} {
		assert.Check(t, is.Equal(r.String(), want), "reason %d", uint8(r))
	}
}
