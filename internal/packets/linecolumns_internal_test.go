package packets

import (
	"testing"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

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

// TestUsualLine: the columns of a line, and that they take no memory beside the buffer.
func TestUsualLine(t *testing.T) {
	var r renderer
	l := usual()
	const want = "1000\t1700000000.000000001\t0.000001001\tmptcp\t3\t1\t10.0.0.1:80\t10.0.0.2:5000\tPSH,ACK\t7\t8\t9\t100\t1:101\t201:301\t201:301@1\t-\t55\t1.500\t-\t1000:valid\t-\t" +
		"DSS flags=MA ack=1055 dsn=2201 ssn=1 len=100 checksum=00ab\n"
	b := r.appendLine(nil, l, columns, "\t", "-")
	if string(b) != want {
		t.Errorf("got  %q\nwant %q", b, want)
	}
	if n := testing.AllocsPerRun(100, func() { b = r.appendLine(b[:0], l, columns, "\t", "-") }); n != 0 {
		t.Errorf("a line takes %v allocations", n)
	}
}
