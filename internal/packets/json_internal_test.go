package packets

import (
	"encoding/hex"
	"strings"
	"testing"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/mptcp"
)

// TestUsualRecord: the JSON of a line, and that it takes no memory beside the buffer.
func TestUsualRecord(t *testing.T) {
	var r renderer
	l := usual()
	const want = `{"packet":1000,"time":"2023-11-14T22:13:20.000000001Z","t_s":0.000001001,"kind":"mptcp","connection":3,"subflow":1,"direction":"b2a",` +
		`"from":"10.0.0.1:80","to":"10.0.0.2:5000","flags":["PSH","ACK"],"seq":7,"ack":8,"window":9,"length":100,"ssn":[1,101],"dsn":[[201,301]],` +
		`"mapping":{"dsn":201,"ssn":1,"length":100},"data_ack":55,"rtt_ms":1.5,"checksums":[{"packet":1000,"verdict":"valid"}],` +
		`"options":[{"subtype":"DSS","flags":"MA","data_ack":1055,"dsn":2201,"ssn":1,"data_length":100,"checksum":"00ab"}]}` + "\n"
	b := r.appendRecord(nil, l)
	if string(b) != want {
		t.Errorf("got  %s\nwant %s", b, want)
	}
	if n := testing.AllocsPerRun(100, func() { b = r.appendRecord(b[:0], l) }); n != 0 {
		t.Errorf("a line takes %v allocations", n)
	}
}

// TestFirstDSS: the first DSS of a packet, which is decoded, has the JSON of any other DSS.
func TestFirstDSS(t *testing.T) {
	for _, bytes := range []string{"1e08 20 01 00000009", "1e1c 20 1f 0000000100000002 0000000300000004 00000005 0006 0007", "1e0e 20 04 00000003 00000001 0000", "1e04 20 00"} {
		other, err := hex.DecodeString(strings.ReplaceAll(bytes, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []renderer{{}, {names: newNames()}} {
			l := &line{conn: &conn.Conn{}, other: other}
			want := string(r.appendOptions([]byte{'{'}, l))
			if err := mptcp.ParseDSS(other, &l.dss); err != nil {
				t.Fatal(err)
			}
			l.other, l.hasDSS = nil, true
			if got := string(r.appendOptions([]byte{'{'}, l)); got != want || !strings.Contains(got, `"DSS"`) {
				t.Errorf("%s:\n got %s\nwant %s", bytes, got, want)
			}
		}
	}
}
