package live

import (
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
)

const kernelLog = "1795626705.000000000\n" +
	"ESTAB 0 0 [::ffff:10.0.0.9]:5001 [::ffff:10.0.1.1]:40000 ino:11 sk:1 <->\n\t cubic rto:204 rtt:20.5/2 mss:1448 cwnd:7\n" +
	"ESTAB 0 0 10.0.0.9:5001 10.0.2.1:40000 ino:12 sk:1 <->\n\t cubic rto:204 mss:1448 cwnd:3\n" +
	"1795626706.000000000\n" +
	"ESTAB 0 0 [::ffff:10.0.0.9]:5001 [::ffff:10.0.1.1]:40000 ino:11 sk:1 <->\n\t cubic rto:204 rtt:30.5/2 mss:1448 cwnd:9\n" +
	"1795626720.000000000\n"

// A subflow has the latest row of the host that sends, in the direction of its data. Rows older
// than 2 s are not shown, and no longer kept.
func TestKernelRows(t *testing.T) {
	name := filepath.Join(t.TempDir(), "ss.txt")
	assert.NilError(t, os.WriteFile(name, []byte(kernelLog), 0o600))
	w, err := hosts.Follow(name)
	assert.NilError(t, err)
	const start = int64(1795626705e9)
	var k KernelRows
	interval := func(from, seconds float64) *Interval {
		v := &Interval{Start: report.Time(start + int64(from*1e9)), Seconds: seconds}
		v.Shown = report.List[Connection]{{}}
		for _, client := range []string{"10.0.1.1:40000", "10.0.2.1:40000", "10.0.3.1:40000"} {
			v.Shown[0].Subflows = append(v.Shown[0].Subflows, Subflow{ends: [2]netip.AddrPort{netip.MustParseAddrPort(client), netip.MustParseAddrPort("10.0.0.9:5001")}})
		}
		assert.NilError(t, w.Until(v.End(), k.Take))
		k.Add(v)
		return v
	}
	at := func(v *Interval, i int) *Kernel { return v.Shown[0].Subflows[i].B2A.Kernel }
	first := interval(0, 0.5)
	if x := at(first, 0); x == nil || *x.Cwnd != 7 || *x.SRTT != 20.5 || int64(x.Time) != start {
		t.Errorf("%+v", x)
	}
	if x := at(first, 1); x == nil || *x.Cwnd != 3 || x.SRTT != nil {
		t.Errorf("without an RTT: %+v", x)
	}
	assert.Check(t, at(first, 2) == nil && first.Shown[0].Subflows[0].A2B.Kernel == nil, "a subflow or a direction without rows has one")
	text := first.Shown[0].Subflows[0].kernelText(conn.B)
	assert.Check(t, strings.Contains(text, "cwnd 7 segments, SRTT 20.5 ms"), "%q", text)
	second := interval(2, 0.5)
	if x := at(second, 0); x == nil || *x.Cwnd != 9 || at(second, 1) != nil {
		t.Errorf("1.5 s later: %+v, %+v", x, at(second, 1))
	}
	third := interval(8, 1)
	assert.Check(t, at(third, 0) == nil && len(k.latest) == 0, "of old rows %d are kept", len(k.latest))
}
