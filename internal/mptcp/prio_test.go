package mptcp

import (
	"testing"

	"gotest.tools/v3/assert"
)

func TestPrio(t *testing.T) {
	checkForms(t, ParsePrio, []form[Prio]{
		{"regular", "1e 03 50", Prio{}},
		{"backup", "1e 03 51", Prio{Backup: true}},
		{"regular, by address id", "1e 04 50 01", Prio{HasAddressID: true, AddressID: 1}},
		{"backup, by address id 0", "1e 04 51 00", Prio{Backup: true, HasAddressID: true}},
	})
}

func TestPrioLengths(t *testing.T) {
	checkLengths(t, ParsePrio, 0x50, 0, 3, 4)
}

func TestPrioIgnoresReservedBits(t *testing.T) {
	var p Prio
	err := ParsePrio(unhex(t, "1e 03 5e"), &p)
	assert.Check(t, err == nil && p == (Prio{}), "got %+v, %v; want no backup", p, err)
}
