package packets

import (
	"strings"
	"testing"

	"mpanalyze/internal/conn"
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
