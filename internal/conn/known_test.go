package conn

import (
	"net/netip"
	"testing"
	"time"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/tracegen"
)

// TestKnown: without the handshake the mappings show whether checksums are in use, and few
// options show the version. Otherwise it is not known.
func TestKnown(t *testing.T) {
	announce := func(s *tracegen.Session, f *tracegen.Subflow) {
		a := s.AddAddr(a2b, mptcp.AddAddr{AddressID: 2, Addr: netip.MustParseAddr("10.9.0.1")})
		f.Signal(a2b, 5*ms, a)
	}
	for _, c := range []struct {
		name                           string
		cfg                            tracegen.Config
		data                           bool
		more                           func(*tracegen.Session, *tracegen.Subflow)
		version, inUse, sums, versions bool // the version is 1, checksums are in use; whether each is known
	}{
		{"DATA_ACKs alone", tracegen.Config{Version: 1, Checksum: true}, false, nil, true, false, false, false},
		{"mappings with checksums", tracegen.Config{Version: 1, Checksum: true}, true, nil, true, true, true, false},
		{"mappings without", tracegen.Config{Version: 1}, true, nil, true, false, true, false},
		{"ADD_ADDR, v1", tracegen.Config{Version: 1}, true, announce, true, false, true, true},
		{"ADD_ADDR, v0", tracegen.Config{Version: 0}, true, announce, false, false, true, true},
		{"MP_TCPRST", tracegen.Config{Version: 1}, true, func(_ *tracegen.Session, f *tracegen.Subflow) {
			f.RST(a2b, 9*ms, &mptcp.TCPRST{})
		}, true, false, true, true},
	} {
		s := tracegen.NewSession(c.cfg)
		f := s.Subflow(path(0))
		f.Assume()
		for i := range 4 {
			if at := time.Duration(i) * ms; c.data {
				f.Data(a2b, at, int64(i*100), 100)
			} else {
				f.Ack(a2b, at)
				f.Ack(b2a, at)
			}
		}
		if c.more != nil {
			c.more(s, f)
		}
		k := analyse(t, s, tracegen.HostA).only(t).c
		inUse, sums := k.Checksums()
		if versions := k.VersionKnown(); inUse != c.inUse || sums != c.sums || versions != c.versions || versions && (k.Version == 1) != c.version {
			t.Errorf("%s: checksums %v (known %v), version %d (known %v)", c.name, inUse, sums, k.Version, versions)
		}
	}
}
