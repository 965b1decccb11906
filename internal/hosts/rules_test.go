package hosts

import (
	"net/netip"
	"testing"

	"gotest.tools/v3/assert"
)

// TestDropped: the first rule counted 7 packets before the session and 10 after it, so it dropped 3.
// The second counted nothing more, the third accepts, and the fourth is in the later listing alone.
func TestDropped(t *testing.T) {
	old, now := &File{Name: "nft.before"}, &File{Name: "nft.after"}
	h := Host{}
	for _, x := range []struct {
		f       *File
		text    string
		packets int64
	}{
		{old, `iifname "eth1" counter packets 7 bytes 420 drop`, 7},
		{old, `ct state invalid counter packets 5 bytes 300 drop`, 5},
		{now, `iifname "eth1" counter packets 10 bytes 600 drop`, 10},
		{now, `ct state invalid counter packets 5 bytes 300 drop`, 5},
		{now, `counter packets 99 bytes 600 accept`, 99},
		{now, `ip saddr 10.2.2.0/24 counter packets 4 bytes 240 drop`, 4},
	} {
		r := &Record{Ref: Ref{x.f, 1}, Thing: Thing{Kind: Firewall}, Text: x.text}
		r.set(RulePackets, x.packets, 1)
		h.add(r)
	}
	got := h.DroppedBy()
	assert.Assert(t, len(got) == 2 && got[0].Values[RulePackets].N == 3 && got[1].Values[RulePackets].N == 4, "%+v", got)
	h.Records[Addr] = []*Record{{Thing: Thing{Addr, "eth0"}}, {Thing: Thing{Addr, "eth1"}}}
	in, out := netip.MustParseAddr("10.2.2.1"), netip.MustParseAddr("10.9.1.1")
	for i, want := range []bool{true, false} {
		assert.Check(t, h.Names(got[i], "eth1", out, out) == want && h.Names(got[1-i], "eth0", in, out) == want, "rule %d", i)
	}
}
