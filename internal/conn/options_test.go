package conn

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/tracegen"
)

// raw is an option as bytes.
type raw []byte

func (r raw) Append(b []byte) []byte { return append(b, r...) }

func TestSignals(t *testing.T) {
	addr := netip.MustParseAddr("10.9.0.1")
	var removed mptcp.RemoveAddr
	removed.N = uint8(copy(removed.List[:], []uint8{4, 5}))
	for _, tt := range []struct {
		name   string
		option func(*tracegen.Session) tracegen.Option
		log    []string
		detail string // of the last event
	}{
		{"ADD_ADDR", func(s *tracegen.Session) tracegen.Option {
			return s.AddAddr(a2b, mptcp.AddAddr{AddressID: 4, Addr: addr, HasPort: true, Port: 99})
		}, []string{"add_addr s0 #4"}, "a announces address id 4, 10.9.0.1 port 99, HMAC valid"},
		{"ADD_ADDR, forged", func(s *tracegen.Session) tracegen.Option {
			o := s.AddAddr(a2b, mptcp.AddAddr{AddressID: 4, Addr: addr})
			o.HMAC ^= 1
			return o
		}, []string{"hmac_error s0 #4", "add_addr s0 #4"}, "a announces address id 4, 10.9.0.1, HMAC invalid"},
		{"ADD_ADDR, another host's HMAC", func(s *tracegen.Session) tracegen.Option {
			return s.AddAddr(b2a, mptcp.AddAddr{AddressID: 4, Addr: addr})
		}, []string{"hmac_error s0 #4", "add_addr s0 #4"}, "a announces address id 4, 10.9.0.1, HMAC invalid"},
		{"echo", func(s *tracegen.Session) tracegen.Option {
			return s.AddAddr(a2b, mptcp.AddAddr{AddressID: 4, Addr: addr, Echo: true})
		}, []string{"add_addr_echo s0 #4"}, "a confirms address id 4, 10.9.0.1"},
		{
			"REMOVE_ADDR", func(*tracegen.Session) tracegen.Option { return &removed },
			[]string{"remove_addr s0 #4", "remove_addr s0 #4"},
			"a withdraws address ids [5]",
		},
		{
			"MP_PRIO", func(*tracegen.Session) tracegen.Option { return &mptcp.Prio{Backup: true} },
			[]string{"mp_prio s0 #4"},
			"a makes subflow 0 a backup",
		},
		{
			"MP_PRIO of an address", func(*tracegen.Session) tracegen.Option { return &mptcp.Prio{HasAddressID: true, AddressID: 3} },
			[]string{"malformed_option s0 #4"},
			"MP_PRIO with address id 3, which version 1 does not have: it has no effect",
		},
		{
			"MP_FAIL", func(*tracegen.Session) tracegen.Option { return &mptcp.Fail{DSN: 12345} },
			[]string{"mp_fail s0 #4"},
			"a reports that the checksum of the data at DSN 12345 failed",
		},
		{
			"unknown subtype", func(*tracegen.Session) tracegen.Option { return raw{30, 5, 0xa0, 1, 2} },
			[]string{"unknown_option s0 #4"},
			"option of subtype 10, 5 bytes",
		},
		{
			"experimental", func(*tracegen.Session) tracegen.Option { return raw{30, 4, 0xf0, 1} },
			[]string{"unknown_option s0 #4"},
			"option of MP_EXPERIMENTAL, 4 bytes",
		},
		{
			"malformed", func(*tracegen.Session) tracegen.Option { return raw{30, 5, 0x60, 1, 2} },
			[]string{"malformed_option s0 #4"},
			"MP_FAIL option of 5 bytes: no form of that length",
		},
		{
			"garbage inside the DSS", func(*tracegen.Session) tracegen.Option { return raw{30, 10, 0x20, 1, 0, 0, 0, 1, 9, 9} },
			[]string{"malformed_option s0 #4"},
			"DSS option of 10 bytes: no form of that length",
		},
		{
			"garbage behind the DSS", func(*tracegen.Session) tracegen.Option { return raw{30, 8, 0x20, 1, 0, 0, 0, 1, 18, 52} },
			[]string{"malformed_option s0 #4"},
			"what is behind the MPTCP option is no TCP option: its length does not fit, and it was ignored",
		},
		{
			"MP_CAPABLE without its checksum, which stands behind it",
			func(*tracegen.Session) tracegen.Option {
				return raw{30, 22, 1, 0x81, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 0, 100, 18, 52}
			},
			[]string{"malformed_option s0 #4"},
			"MP_CAPABLE option of 22 bytes: with data and checksums (flag A) it has 24",
		},
		{
			"longer than the list", func(*tracegen.Session) tracegen.Option { return raw{30, 33, 0x20, 1} },
			[]string{"malformed_option s0 #4"},
			"a TCP option whose length does not fit: it and what is behind it were ignored",
		},
		{
			"second DSS", func(*tracegen.Session) tracegen.Option { return raw{30, 4, 0x20, 0} },
			[]string{"unknown_option s0 #4"},
			"second DSS option in one packet: ignored",
		},
		{"reason without a reset", func(*tracegen.Session) tracegen.Option { return &mptcp.TCPRST{Reason: mptcp.ResetMiddlebox} }, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, f, at := opened(tracegen.Config{Version: 1, NoTimestamps: true})
			f.Signal(a2b, at, tt.option(s)).Edit(func(p *tracegen.Packet) {
				if tt.name == "second DSS" { // the first one must be read
					p.Options = append((&mptcp.DSS{Flags: mptcp.DSSAck | mptcp.DSSAck8}).Append(nil), 30, 4, 0x20, 0)
				}
			})
			r := analyse(t, s, tracegen.HostA).only(t)
			assert.Assert(t, is.DeepEqual(r.log, tt.log), "events")
			if tt.detail != "" && r.details[len(r.details)-1] != tt.detail {
				t.Errorf("detail %q, want %q", r.details[len(r.details)-1], tt.detail)
			}
			if r.c.State() != Open || len(r.c.Subflows) != 1 {
				t.Errorf("state %v", r.c.State())
			}
		})
	}
}

func TestAddAddrVersion0(t *testing.T) {
	s, f, at := opened(tracegen.Config{Version: 0})
	f.Signal(b2a, at, s.AddAddr(b2a, mptcp.AddAddr{AddressID: 9, Addr: netip.MustParseAddr("2001:db8::9")}))
	r := analyse(t, s, tracegen.HostA).only(t)
	if diff := cmp.Diff([]string{"add_addr s0 #4"}, r.log); diff != "" || r.details[0] != "b announces address id 9, 2001:db8::9" {
		t.Errorf("%s%v: version 0 has no HMAC to judge", diff, r.details)
	}
}

func TestOptionsOfPlainTCP(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1})
	f := s.Subflow(path(0))
	f.SYN(0)
	f.SYNACK(10 * ms).Edit(without(mptcp.SubCapable))
	f.Signal(a2b, 20*ms, raw{30, 5, 0xa0, 1, 2}, raw{30, 5, 0x60, 1, 2})
	f.Signal(a2b, 30*ms, &mptcp.Fastclose{ReceiverKey: 1})
	table, rec := feed(segments(t, s.Packets(tracegen.HostA), tracegen.LinkRaw))
	if r := rec.only(t); len(r.log) != 0 || r.c.Fastclosed {
		t.Errorf("events %v of a plain connection", r.log)
	}
	codes := map[string]int64{}
	for _, w := range table.Warnings.List() {
		codes[w.Code] = w.Count
	}
	assert.Check(t, is.DeepEqual(codes, map[string]int64{"unknown_option": 1, "malformed_option": 1}), "warnings")
}

func TestReset(t *testing.T) {
	s, f, at := opened(tracegen.Config{Version: 1})
	g, at := joined(s, 1, at)
	f.RST(b2a, at, &mptcp.TCPRST{Reason: mptcp.ResetPerformance})
	f.RST(b2a, at+1*ms)
	g.RST(a2b, at+2*ms)
	r := analyse(t, s, tracegen.HostB).only(t)
	if r.c.State() != WasReset {
		t.Errorf("state %v, want reset", r.c.State())
	}
	// Three packets and four open the subflows.
	assert.Check(t, is.DeepEqual(r.has(EventReset), []string{"rst s0 #8", "rst s1 #10"}), "events")
	if sub := r.c.Subflows[0]; sub.ClosedBy != B || sub.CloseCause != "RST: unacceptable performance" {
		t.Errorf("closed by %v: %s", sub.ClosedBy, sub.CloseCause)
	}
}
