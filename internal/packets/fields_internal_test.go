package packets

import (
	"encoding/hex"
	"net/netip"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// TestComment: the fields of a line as a comment; what is not known is left out.
func TestComment(t *testing.T) {
	var r renderer
	l := usual()
	for _, c := range []struct {
		name   string
		change func()
		want   string
	}{
		{
			"first transmission", func() {},
			"mpanalyze: packet=1000 kind=mptcp connection=3 subflow=1 direction=b2a t_s=0.000001001 transmission=first ssn=1 ssn_end=101 dsn=201 dsn_end=301 " +
				"mapping.dsn=201 mapping.ssn=1 mapping.length=100 data_ack=55 rtt_ms=1.5 checksum=1000:valid",
		},
		{
			"half of it sent before on another subflow, then a DATA_FIN", func() {
				l.dsn = []seq.Range[seq.DSN]{{Start: 151, End: 201}, {Start: 201, End: 251}}
				l.mapping.DSN, l.mapping.DSS = 151, mptcp.DSS{Flags: mptcp.DSSFin, Length: 101}
				l.marks, l.reinjectionOf = reinjection|dataFIN, []uint64{990, 995}
				l.hasDataAck, l.hasRTT, l.checks = false, false, nil
				l.events = []event{{kind: conn.EventFallback}}
			},
			"mpanalyze: packet=1000 kind=mptcp connection=3 subflow=1 direction=b2a t_s=0.000001001 transmission=first,reinjection reinjection_of=990,995 mark=data_fin ssn=1 ssn_end=101 " +
				"dsn=151,201 dsn_end=201,251 mapping.dsn=151 mapping.ssn=1 mapping.length=100 event=" + string(conn.EventFallback),
		},
		{
			"plain TCP, sent again", func() {
				*l = line{conn: &conn.Conn{ID: 0, Kind: conn.Plain}, num: 7, time: packet.Origin + 3e9, start: packet.Origin + 1e9, length: 10, marks: retransmission, retransmissionOf: []uint64{2}}
			},
			"mpanalyze: packet=7 kind=tcp connection=0 subflow=0 direction=a2b t_s=2.000000000 transmission=retransmission retransmission_of=2",
		},
	} {
		c.change()
		got := string(r.appendComment(nil, l))
		assert.Check(t, got == c.want, "%s:\n got %s\nwant %s", c.name, got, c.want)
	}
}

// TestFieldNames: each field has its name with and without the prefix, and no other name finds one.
func TestFieldNames(t *testing.T) {
	for _, name := range FieldNames() {
		for _, asked := range []string{name, strings.TrimPrefix(name, Prefix+".")} {
			f, err := FieldNamed(asked)
			assert.Check(t, err == nil && f.name == name, "%s finds %q, %v", asked, f.name, err)
		}
	}
	if _, err := FieldNamed("mpanalyze.dsm"); err == nil || !strings.Contains(err.Error(), "mpanalyze.dsn,") {
		t.Errorf("error %v", err)
	}
}

// usual is a line of a data packet with a DSS: IPv4, a mapping of 100 bytes, a DATA_ACK.
func usual() *line {
	return &line{
		conn: &conn.Conn{ID: 3, Kind: conn.Multipath}, sub: 1, from: conn.B, num: 1000, time: packet.Origin + 1_700_000_000_000_000_001, start: packet.Origin + 1_699_999_999_999_999_000,
		src: packet.Endpoint{Addr: [16]byte{10: 0xff, 11: 0xff, 12: 10, 15: 1}, Port: 80}, dst: packet.Endpoint{Addr: [16]byte{10: 0xff, 11: 0xff, 12: 10, 15: 2}, Port: 5000},
		flags: packet.PSH | packet.ACK, seq: 7, ack: 8, window: 9, length: 100, unsent: true,
		ssn: seq.Range[seq.SSN]{Start: 1, End: 101}, dsn: []seq.Range[seq.DSN]{{Start: 201, End: 301}},
		mapping: conn.Mapping{DSS: mptcp.DSS{Length: 100}, SSN: 1, DSN: 201}, hasMapping: true, dataAck: 55, hasDataAck: true, rtt: 1_500_000, hasRTT: true,
		checks: []dss.Check{{Packet: 1000, Result: dss.CheckValid}},
		dss:    mptcp.DSS{Flags: mptcp.DSSMap | mptcp.DSSAck | mptcp.DSSChecksum, DataAck: 1055, DSN: 2201, SSN: 1, Length: 100, Checksum: 0xab}, hasDSS: true,
	}
}

// TestUsualLine: the columns and the JSON of a line.
func TestUsualLine(t *testing.T) {
	var r renderer
	named := renderer{normalise: true}
	l := usual()
	for name, c := range map[string]struct {
		write func(b []byte) []byte
		want  string
	}{
		"columns": {
			func(b []byte) []byte { return r.appendLine(b, l, columns, "-") },
			"1000\t1700000000.000000001\t0.000001001\tmptcp\t3\t1\t10.0.0.1:80\t10.0.0.2:5000\tPSH,ACK\t7\t8\t9\t100\t1:101\t201:301\t201:301@1\t-\t55\t1.500\t-\t1000:valid\t-\t" +
				"DSS flags=MA ack=1055 dsn=2201 ssn=1 len=100 checksum=00ab\n",
		},
		"columns without what varies": {func(b []byte) []byte { return named.appendLine(b, l, columns[:4], "-") }, "-\t-\t-\tmptcp\n"},
		"JSON": {
			func(b []byte) []byte { return append(appendJSON(b, r.record(l)), '\n') },
			`{"schema":"mpanalyze.packets/1","packet":1000,"time":"2023-11-14T22:13:20.000000001Z","t_s":0.000001001,"kind":"mptcp","connection":3,"subflow":1,"direction":"b2a",` +
				`"from":"10.0.0.1:80","to":"10.0.0.2:5000","flags":["PSH","ACK"],"seq":7,"ack":8,"window":9,"length":100,"ssn":[1,101],"dsn":[[201,301]],` +
				`"mapping":{"dsn":201,"ssn":1,"length":100},"data_ack":55,"rtt_ms":1.5,"checksums":[{"packet":1000,"verdict":"valid"}],` +
				`"options":[{"subtype":"DSS","flags":"MA","data_ack":1055,"dsn":2201,"ssn":1,"data_length":100,"checksum":"00ab"}]}` + "\n",
		},
	} {
		b := c.write(nil)
		assert.Check(t, string(b) == c.want, "%s:\n got %q\nwant %q", name, b, c.want)
	}
}

// TestOptionTexts: every form of every option as a column; the bytes are written out by
// hand from the figures of the RFCs.
func TestOptionTexts(t *testing.T) {
	for _, c := range []struct {
		name, bytes string // of the option, in hexadecimal
		want        string
		prepare     func(*line)
	}{
		{"MP_CAPABLE v1 SYN", "1e04 01 81", "MP_CAPABLE v=1 flags=AH", nil},
		{"MP_CAPABLE v1 SYN/ACK", "1e0c 01 21 0102030405060708", "MP_CAPABLE v=1 flags=CH key=01020304.. sender_token=" + hex32(mptcp.Token(1, 0x0102030405060708)), nil},
		{"MP_CAPABLE v1 third", "1e14 01 01 0102030405060708 1112131415161718", "MP_CAPABLE v=1 flags=H key=01020304.. sender_token=" + hex32(mptcp.Token(1, 0x0102030405060708)) + " peer_key=11121314..", nil},
		{"MP_CAPABLE v1 data", "1e16 01 01 0102030405060708 1112131415161718 0064", "MP_CAPABLE v=1 flags=H key=01020304.. sender_token=" + hex32(mptcp.Token(1, 0x0102030405060708)) + " peer_key=11121314.. len=100", nil},
		{"MP_CAPABLE v1 data and checksum", "1e18 01 81 0102030405060708 1112131415161718 0064 beef", "MP_CAPABLE v=1 flags=AH key=01020304.. sender_token=" + hex32(mptcp.Token(1, 0x0102030405060708)) + " peer_key=11121314.. len=100 checksum=beef", nil},
		{"MP_CAPABLE v0 SYN", "1e0c 00 81 0102030405060708", "MP_CAPABLE v=0 flags=AH key=01020304.. sender_token=" + hex32(mptcp.Token(0, 0x0102030405060708)), nil},
		{"MP_CAPABLE of an unknown version", "1e04 02 01", "MP_CAPABLE malformed raw=1e040201", nil},
		{"MP_JOIN SYN, backup", "1e0c 11 05 aabbccdd 00000007", "MP_JOIN flags=B token=aabbccdd id=5 nonce=00000007", nil},
		{"MP_JOIN SYN/ACK", "1e10 10 06 0102030405060708 00000009", "MP_JOIN id=6 nonce=00000009 hmac=01020304.. hmac_verdict=valid", func(l *line) { l.join = conn.HMACValid }},
		{"MP_JOIN ACK", "1e18 10 00 000102030405060708090a0b0c0d0e0f10111213", "MP_JOIN hmac=00010203.. hmac_verdict=invalid", func(l *line) { l.join = conn.HMACInvalid }},
		{"second DSS", "1e08 20 01 00000009", "DSS flags=A ack=9", nil},
		{"DSS with everything", "1e1c 20 1f 0000000100000002 0000000300000004 00000005 0006 0007", "DSS flags=FmMaA ack=4294967298 dsn=12884901892 ssn=5 len=6 checksum=0007", nil},
		{"DSS of nothing", "1e04 20 00", "DSS", nil},
		{"DSS, infinite mapping", "1e0e 20 04 00000003 00000001 0000", "DSS flags=M dsn=3 ssn=1 len=0", nil},
		{"ADD_ADDR v0", "1e08 34 02 0a000001", "ADD_ADDR v=0 id=2 addr=10.0.0.1", nil},
		{"ADD_ADDR v1", "1e10 30 02 0a000001 0102030405060708", "ADD_ADDR v=1 id=2 addr=10.0.0.1 hmac=01020304.. hmac_verdict=unchecked", func(l *line) { l.addAddr = conn.HMACUnchecked }},
		{"ADD_ADDR v1, port", "1e12 30 02 0a000001 1f90 0102030405060708", "ADD_ADDR v=1 id=2 addr=10.0.0.1 port=8080 hmac=01020304.. hmac_verdict=valid", func(l *line) { l.addAddr = conn.HMACValid }},
		{"ADD_ADDR v1, echo", "1e08 31 02 0a000001", "ADD_ADDR v=1 flags=E id=2 addr=10.0.0.1", nil},
		{"ADD_ADDR v1, echo, IPv6", "1e14 31 02 fd000000000000000000000000000001", "ADD_ADDR v=1 flags=E id=2 addr=fd00::1", nil},
		{"REMOVE_ADDR", "1e05 40 03 07", "REMOVE_ADDR id=3 id=7", nil},
		{"MP_PRIO", "1e03 51", "MP_PRIO flags=B", nil},
		{"MP_PRIO v0", "1e04 50 03", "MP_PRIO id=3", nil},
		{"MP_FAIL", "1e0c 60 00 0000000000000063", "MP_FAIL dsn=99", nil},
		{"MP_FASTCLOSE", "1e0c 70 00 0102030405060708", "MP_FASTCLOSE peer_key=01020304..", nil},
		{"MP_TCPRST", "1e04 81 03", "MP_TCPRST flags=T reason=3", nil},
		{"unknown subtype", "1e06 90 00 0102", "subtype_9 raw=1e0690000102", nil},
		{"private subtype", "1e04 f0 00", "MP_EXPERIMENTAL raw=1e04f000", nil},
		{"wrong length", "1e05 10 00 00", "MP_JOIN malformed raw=1e05100000", nil},
		{"no subtype", "1e02", "MPTCP_without_subtype malformed raw=1e02", nil},
	} {
		l := &line{conn: &conn.Conn{}}
		var err error
		if l.other, err = hex.DecodeString(strings.ReplaceAll(c.bytes, " ", "")); err != nil {
			t.Fatal(err)
		}
		if c.prepare != nil {
			c.prepare(l)
		}
		var r renderer
		want := strings.ReplaceAll(c.want, "flags= ", "")
		got := string(r.optionTexts(nil, l))
		assert.Check(t, got == want, "%s:\n got %s\nwant %s", c.name, got, want)
		forms := func() (all []string) {
			for _, r := range []renderer{{}, {normalise: true}} {
				all = append(all, string(r.optionTexts(nil, l)), string(appendJSON(nil, r.options(l))))
			}
			return all
		}
		if want := forms(); mptcp.ParseDSS(l.other, &l.dss) == nil {
			l.other, l.hasDSS = nil, true // as the first DSS of a packet, which is decoded
			assert.Check(t, is.DeepEqual(forms(), want), "%s, first of its packet", c.name)
		}
	}
}

// TestTwoOptions: the DSS comes first, then the others in their order.
func TestTwoOptions(t *testing.T) {
	l := &line{conn: &conn.Conn{}, hasDSS: true, dss: mptcp.DSS{Flags: mptcp.DSSAck, DataAck: 5}, other: []byte{30, 3, 0x51, 30, 4, 0x40, 9}}
	var r renderer
	assert.Check(t, is.Equal(string(r.optionTexts(nil, l)), "DSS flags=A ack=5; MP_PRIO flags=B; REMOVE_ADDR id=9"))
}

// TestICMPLine: an ICMP error has a line without the columns of a TCP header.
func TestICMPLine(t *testing.T) {
	c := &conn.Conn{Kind: conn.Multipath, Start: packet.Origin}
	sub := &conn.Subflow{ID: 1, Conn: c}
	sub.Ends[conn.A] = packet.Endpoint{Addr: netip.MustParseAddr("10.0.0.2").As16(), Port: 5000}
	e := conn.Event{Packet: 9, Time: packet.Origin + 2e9, Sub: sub, Kind: conn.EventICMP, Facts: conn.Facts{Address: netip.MustParseAddr("192.0.2.1")}}
	l := &line{}
	l.fillICMP(c, &e, event{kind: e.Kind, packet: 9})
	var r renderer
	got := strings.ReplaceAll(string(r.appendLine(nil, l, columns, "-")), "\t", " ")
	assert.Check(t, is.Equal(got, "9 2.000000000 2.000000000 mptcp 0 1 192.0.2.1:0 10.0.0.2:5000 - - - - - - - - - - - - - icmp -\n"))
	assert.Check(t, is.Equal(string(r.appendComment(nil, l)), "mpanalyze: packet=9 kind=mptcp connection=0 subflow=1 direction=b2a t_s=2.000000000 event=icmp"))
	assert.Check(t, is.Contains(string(appendJSON(nil, r.record(l))), `"flags":[],"length":0,"events"`))
	for _, f := range fields[len(ownFields):] {
		got := f.value(&r, nil, l)
		assert.Check(t, !strings.HasPrefix(f.name, "tcp.") || len(got) == 0, "%s: %q", f.name, got)
	}
}

// TestConvert: TLVs of the Convert Protocol follow the options, and stand alone where there is none.
func TestConvert(t *testing.T) {
	l := &line{conn: &conn.Conn{}, other: []byte{30, 3, 0x51}, convert: []packet.ConvertTLV{{Type: 10, Value: []byte("\x1f\x90\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xc0\x00\x02\x4d")}, {Type: 22, Value: []byte{1, 2}}}}
	var r renderer
	assert.Check(t, is.Equal(string(r.optionTexts(nil, l)), "MP_PRIO flags=B; Convert Connect 192.0.2.77:8080; Convert Cookie 0102"))
	l.other = nil
	assert.Check(t, is.Equal(string(r.optionTexts(nil, l)), "Convert Connect 192.0.2.77:8080; Convert Cookie 0102"))
	assert.Check(t, is.Contains(string(appendJSON(nil, r.record(l))), `,"convert":[{"type":"Connect","value":"192.0.2.77:8080"},{"type":"Cookie","value":"0102"}]}`))
}

// TestNormalisedEnd: an address stays, its port goes.
func TestNormalisedEnd(t *testing.T) {
	end := packet.Endpoint{Addr: netip.MustParseAddr("fd00::1").As16(), Port: 7}
	for normalise, want := range map[bool]string{false: "[fd00::1]:7", true: "fd00::1"} {
		r := renderer{normalise: normalise}
		assert.Check(t, is.Equal(string(r.appendEnd(nil, &end)), want))
	}
}

// TestInFlightBounds: what is in flight is kept, of what was acknowledged the latest;
// at the bounds the oldest go.
func TestInFlightBounds(t *testing.T) {
	var f inFlight
	runs := 0
	for i := range int64(3 * keepAcked) {
		f.una = i * 10 // everything before this packet
		runs += f.add(carried{i * 10, i*10 + 10, uint64(i + 1)}, false)
	}
	if n := f.list.Len(); n != runs || n != keepAcked+1 {
		t.Errorf("%d packets are kept, %d counted; want %d", n, runs, keepAcked+1)
	}
	last := int64(3*keepAcked - 1)
	if got := f.carriers(last*10-5, last*10+5, nil); len(got) != 2 || got[0] != uint64(last) || got[1] != uint64(last+1) {
		t.Errorf("carriers %v", got)
	}
	if got := f.carriers(0, 100, nil); got != nil {
		t.Errorf("forgotten packets carried %v", got)
	}
	f = inFlight{}
	for i := range int64(maxRuns + 100) {
		f.add(carried{i, i + 1, uint64(i + 1)}, false)
	}
	if n := f.list.Len(); n != maxRuns {
		t.Errorf("%d packets in flight are kept, want %d", n, maxRuns)
	}
	if grown := f.add(carried{1 << 20, 1<<20 + 1, 1}, true); grown != 0 || f.list.Len() != maxRuns {
		t.Errorf("a full list grew by %d to %d", grown, f.list.Len())
	}
	var empty inFlight
	if grown := empty.add(carried{0, 1, 1}, true); grown != 0 || empty.list.Len() != 0 {
		t.Errorf("an empty list grew by %d", grown)
	}
	f = inFlight{} // out of order
	for _, i := range []int64{0, 2, 4, 1, 3} {
		f.add(carried{i, i + 1, uint64(i)}, false)
	}
	if got := f.carriers(0, 5, nil); len(got) != 5 || got[1] != 1 || got[3] != 3 {
		t.Errorf("carriers %v", got)
	}
}
