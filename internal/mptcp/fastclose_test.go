package mptcp

import "testing"

func TestFastclose(t *testing.T) {
	checkForms(t, ParseFastclose, []form[Fastclose]{
		{"as captured, version 1", "1e 0c 70 00 938b94deccc5a500", Fastclose{ReceiverKey: 0x938b94deccc5a500}},
		{"as captured, version 0", "1e 0c 70 00 82a04ad875ddf27b", Fastclose{ReceiverKey: 0x82a04ad875ddf27b}},
	})
}

func TestFastcloseLengths(t *testing.T) {
	checkLengths(t, ParseFastclose, 0x70, 0, 12)
}
