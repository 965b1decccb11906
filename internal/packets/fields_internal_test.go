package packets

import (
	"strings"
	"testing"

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
		if got := string(r.appendComment(nil, l)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestFieldNames: each field has its name with and without the prefix, and no other name finds one.
func TestFieldNames(t *testing.T) {
	for _, name := range FieldNames() {
		for _, asked := range []string{name, strings.TrimPrefix(name, Prefix+".")} {
			if f, err := FieldNamed(asked); err != nil || f.name != name {
				t.Errorf("%s finds %q, %v", asked, f.name, err)
			}
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

// TestUsualLine: the columns and the JSON of a line, and that they take no memory beside the buffer.
func TestUsualLine(t *testing.T) {
	var r renderer
	l := usual()
	for name, c := range map[string]struct {
		write func(b []byte) []byte
		want  string
	}{
		"columns": {
			func(b []byte) []byte { return r.appendLine(b, l, columns, "\t", "-") },
			"1000\t1700000000.000000001\t0.000001001\tmptcp\t3\t1\t10.0.0.1:80\t10.0.0.2:5000\tPSH,ACK\t7\t8\t9\t100\t1:101\t201:301\t201:301@1\t-\t55\t1.500\t-\t1000:valid\t-\t" +
				"DSS flags=MA ack=1055 dsn=2201 ssn=1 len=100 checksum=00ab\n",
		},
		"JSON": {
			func(b []byte) []byte { return r.appendRecord(b, l) },
			`{"packet":1000,"time":"2023-11-14T22:13:20.000000001Z","t_s":0.000001001,"kind":"mptcp","connection":3,"subflow":1,"direction":"b2a",` +
				`"from":"10.0.0.1:80","to":"10.0.0.2:5000","flags":["PSH","ACK"],"seq":7,"ack":8,"window":9,"length":100,"ssn":[1,101],"dsn":[[201,301]],` +
				`"mapping":{"dsn":201,"ssn":1,"length":100},"data_ack":55,"rtt_ms":1.5,"checksums":[{"packet":1000,"verdict":"valid"}],` +
				`"options":[{"subtype":"DSS","flags":"MA","data_ack":1055,"dsn":2201,"ssn":1,"data_length":100,"checksum":"00ab"}]}` + "\n",
		},
	} {
		b := c.write(nil)
		if string(b) != c.want {
			t.Errorf("%s:\n got %q\nwant %q", name, b, c.want)
		}
		if n := testing.AllocsPerRun(100, func() { b = c.write(b[:0]) }); n != 0 {
			t.Errorf("%s: a line takes %v allocations", name, n)
		}
	}
}
