package capture

import (
	"strings"
	"testing"
)

// TestDamageHint: the message says that packets were read only where some were.
func TestDamageHint(t *testing.T) {
	for packet, want := range map[uint64]string{
		1: "cut.pcap: packet 1, byte offset 0: it ends; no packet of it was read; if the original is complete, copy it again",
		2: "cut.pcap: packet 2, byte offset 0: it ends; the packets before it were read; if the original is complete, copy it again",
	} {
		e := &DamageError{File: "cut.pcap", Packet: packet, What: "it ends", Hint: hintCut}
		if got := e.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	e := &DamageError{File: "f", Packet: 1, Hint: "look"}
	if got := e.Error(); !strings.HasSuffix(got, "; look") {
		t.Errorf("%q", got)
	}
}
