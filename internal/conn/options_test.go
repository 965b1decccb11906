package conn

import (
	"net/netip"
	"strings"
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
	removed := mptcp.RemoveAddr{N: 2, List: [37]uint8{4, 5}}
	cfg := tracegen.Config{Version: 1, NoTimestamps: true}
	signer := tracegen.NewSession(cfg) // it has the same keys
	forged := signer.AddAddr(a2b, mptcp.AddAddr{AddressID: 4, Addr: addr})
	forged.HMAC ^= 1
	const invalid = "a announces address id 4, 10.9.0.1, HMAC invalid"
	const outside = "what is behind the MPTCP option is no TCP option: its length does not fit, and it was ignored"
	capable := raw{30, 22, 1, 0x81, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 0, 100, 18, 52} // its checksum stands behind it
	for name, tt := range map[string]struct {
		option tracegen.Option
		kinds  string // of the events
		detail string // of the last event
	}{
		"ADD_ADDR":               {signer.AddAddr(a2b, mptcp.AddAddr{AddressID: 4, Addr: addr, HasPort: true, Port: 99}), "add_addr", "a announces address id 4, 10.9.0.1 port 99, HMAC valid"},
		"ADD_ADDR, forged":       {forged, "hmac_error add_addr", invalid},
		"another host's HMAC":    {signer.AddAddr(b2a, mptcp.AddAddr{AddressID: 4, Addr: addr}), "hmac_error add_addr", invalid},
		"echo":                   {&mptcp.AddAddr{Version: 1, AddressID: 4, Addr: addr, Echo: true}, "add_addr_echo", "a confirms address id 4, 10.9.0.1"},
		"REMOVE_ADDR":            {&removed, "remove_addr remove_addr", "a withdraws address ids [5]"},
		"MP_PRIO":                {&mptcp.Prio{Backup: true}, "mp_prio", "a makes subflow 0 a backup"},
		"MP_PRIO of an address":  {&mptcp.Prio{HasAddressID: true, AddressID: 3}, "malformed_option", "MP_PRIO with address id 3, which version 1 does not have: it has no effect"},
		"MP_FAIL":                {&mptcp.Fail{DSN: 12345}, "mp_fail", "a reports that the checksum of the data at DSN 12345 failed"},
		"unknown subtype":        {raw{30, 5, 0xa0, 1, 2}, "unknown_option", "option of subtype 10, 5 bytes"},
		"experimental":           {raw{30, 4, 0xf0, 1}, "unknown_option", "option of MP_EXPERIMENTAL, 4 bytes"},
		"malformed":              {raw{30, 5, 0x60, 1, 2}, "malformed_option", "MP_FAIL option of 5 bytes: no form of that length"},
		"garbage inside the DSS": {raw{30, 10, 0x20, 1, 0, 0, 0, 1, 9, 9}, "malformed_option", "DSS option of 10 bytes: no form of that length"},
		"garbage behind the DSS": {raw{30, 8, 0x20, 1, 0, 0, 0, 1, 18, 52}, "malformed_option", outside},
		"MP_CAPABLE, checksum":   {capable, "malformed_option", "MP_CAPABLE option of 22 bytes: with data and checksums (flag A) it has 24"},
		"longer than the list":   {raw{30, 33, 0x20, 1}, "malformed_option", "a TCP option whose length does not fit: it and what is behind it were ignored"},
		"second DSS":             {raw{30, 4, 0x20, 0}, "unknown_option", "second DSS option in one packet: ignored"},
		"reason without a reset": {&mptcp.TCPRST{Reason: mptcp.ResetMiddlebox}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, f, at := opened(cfg)
			f.Signal(a2b, at, tt.option).Edit(func(p *tracegen.Packet) {
				if name == "second DSS" { // the first one must be read
					p.Options = append((&mptcp.DSS{Flags: mptcp.DSSAck | mptcp.DSSAck8}).Append(nil), 30, 4, 0x20, 0)
				}
			})
			r := analyse(t, s, tracegen.HostA).only(t)
			var want []string
			for kind := range strings.FieldsSeq(tt.kinds) {
				want = append(want, kind+" s0 #4")
			}
			assert.Assert(t, is.DeepEqual(r.log, want), "events")
			assert.Check(t, len(want) == 0 || r.details[len(want)-1] == tt.detail, "detail %q, want %q", r.details, tt.detail)
			assert.Check(t, r.c.State() == Open && len(r.c.Subflows) == 1, "state %v", r.c.State())
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
	assert.Check(t, is.DeepEqual(warnings(table), map[string]int64{"unknown_option": 1, "malformed_option": 1}), "warnings")
}
