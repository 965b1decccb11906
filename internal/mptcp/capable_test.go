package mptcp

import (
	"errors"
	"testing"

	"gotest.tools/v3/assert"
)

func TestCapable(t *testing.T) {
	const (
		keyA = 0x60a47ec3d82d33d9
		keyB = 0x710c8bb4c1823e84
		one  = CapableHasSenderKey
		both = one | CapableHasReceiverKey
	)
	checkForms(t, ParseCapable, []form[Capable]{
		{
			"version 0, SYN", "1e 0c 00 81 ac872bda5c672b2d",
			Capable{Version: 0, Flags: 0x81, Have: one, SenderKey: 0xac872bda5c672b2d},
		},
		{
			"version 0, ACK", "1e 14 00 81 ac872bda5c672b2d 8af517dfa1bce7c0",
			Capable{Version: 0, Flags: 0x81, Have: both, SenderKey: 0xac872bda5c672b2d, ReceiverKey: 0x8af517dfa1bce7c0},
		},
		{
			"version 1, SYN", "1e 04 01 01",
			Capable{Version: 1, Flags: 0x01},
		},
		{
			"version 1, SYN/ACK", "1e 0c 01 01 710c8bb4c1823e84",
			Capable{Version: 1, Flags: 0x01, Have: one, SenderKey: keyB},
		},
		{
			"version 1, ACK", "1e 14 01 01 60a47ec3d82d33d9 710c8bb4c1823e84",
			Capable{Version: 1, Flags: 0x01, Have: both, SenderKey: keyA, ReceiverKey: keyB},
		},
		{
			"version 1, data", "1e 16 01 01 60a47ec3d82d33d9 710c8bb4c1823e84 0200",
			Capable{Version: 1, Flags: 0x01, Have: both | CapableHasDataLen, SenderKey: keyA, ReceiverKey: keyB, DataLen: 512},
		},
		{
			"version 1, data and checksum", "1e 18 01 81 cc907e9c357ef1e8 0e8a3de8dee4b5d9 0200 278f",
			Capable{
				Version: 1, Flags: 0x81, Have: both | CapableHasDataLen | CapableHasDataSum,
				SenderKey: 0xcc907e9c357ef1e8, ReceiverKey: 0x0e8a3de8dee4b5d9, DataLen: 512, Checksum: 0x278f,
			},
		},
		{"all flags", "1e 04 01 ff", Capable{Version: 1, Flags: 0xff}},
	})
}

func TestCapableLengths(t *testing.T) {
	checkLengths(t, ParseCapable, 0x00, 0x81, 12, 20)
	checkLengths(t, ParseCapable, 0x01, 0x01, 4, 12, 20, 22, 24)
}

// With data and the flag A an option has a checksum: 24 bytes, not 22 (RFC 8684, Section 3.1).
func TestCapableWithoutItsChecksum(t *testing.T) {
	b := make([]byte, 22)
	copy(b, []byte{Kind, 22, 0x01, 0x81})
	c := Capable{DataLen: 7}
	if err := ParseCapable(b, &c); !errors.Is(err, ErrNoChecksum) || c != (Capable{DataLen: 7}) {
		t.Errorf("error %v, option %+v", err, c)
	}
	if err := Check(b); !errors.Is(err, ErrNoChecksum) {
		t.Errorf("Check: %v", err)
	}
	b[3] = 0x01
	if err := ParseCapable(b, &c); err != nil || !c.Has(CapableHasDataLen) {
		t.Errorf("without the flag: %v, %+v", err, c)
	}
}

func TestCapableOfUnknownVersion(t *testing.T) {
	for version := byte(2); version < 16; version++ {
		b := []byte{Kind, 4, version, 0x01}
		c := Capable{DataLen: 7}
		var unknown *VersionError
		err := ParseCapable(b, &c)
		assert.Check(t, errors.As(err, &unknown) && unknown.Version == version, "version %d: error %v, want a *VersionError that names it", version, err)
		assert.Check(t, c == (Capable{DataLen: 7}), "version %d: value changed to %+v by a failed parse", version, c)
	}
}

func TestCapableFlags(t *testing.T) {
	for _, c := range []struct {
		version uint8
		flags   CapableFlags
		sum     bool
	}{
		{version: 0, flags: 0x00},
		{version: 0, flags: 0x80, sum: true},
		{version: 1, flags: 0x01},
		{version: 1, flags: 0xff, sum: true},
	} {
		x := Capable{Version: c.version, Flags: c.flags}
		if got := x.ChecksumRequired(); got != c.sum {
			t.Errorf("version %d, flags %#02x: ChecksumRequired %v", c.version, c.flags, got)
		}
	}
}
