package tracegen

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/testrun"
)

// tshark runs tshark and returns a row of fields for each packet of a file.
func tshark(t *testing.T, file string, fields ...string) (rows [][]string) {
	t.Helper()
	if _, err := exec.LookPath("tshark"); err != nil {
		t.Skip("tshark is not installed")
	}
	args := []string{
		"-r", file, "-T", "fields", "-E", "occurrence=f",
		"-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE", "-o", "mptcp.analyze_mappings:TRUE", "-o", "mptcp.intersubflows_retransmission:TRUE",
	}
	for _, f := range fields {
		args = append(args, "-e", f)
	}
	out, err := testrun.Command(t, "tshark", args...).Output()
	assert.NilError(t, err, "tshark")
	for line := range strings.Lines(string(out)) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return rows
}

// repaired is a session over IPv4 and IPv6 with one loss, which is repaired on
// both subflows.
func repaired(version uint8) *Session {
	s := NewSession(Config{
		Version: version, Checksum: true, AckEvery: 2,
		DSN4: version == 0, DataAck4: version == 0,
	})
	one := s.Subflow(onePath(0xfffffc00))
	two := s.Subflow(Path{A: v6a, B: v6b, ISN: [2]seq.Wire{7, 8}, Nonce: [2]uint32{1, 2}})
	h := one.Open(0)
	j := two.Open(h.Established())
	at := j.Established()
	for i := range int64(8) {
		x := one.Data(A2B, at+time.Duration(i)*4*ms, i*500, 500)
		if i == 3 {
			x.Lose().Again(at + 60*ms)
		}
	}
	two.Data(A2B, at+70*ms, 3*500, 500)
	s.Close(at+200*ms, 8*500, 0)
	return s
}

// tshark reads the session as it was meant: checksums hold, nothing is
// malformed, the numbers are those of the script, and its own analysis finds
// the one retransmission and the one reinjection.
func TestTsharkAgrees(t *testing.T) {
	for version := range uint8(2) {
		s := repaired(version)
		name := filepath.Join(t.TempDir(), "s.pcap")
		assert.NilError(t, s.Network().WriteFile(name, HostA, Format{Nanosecond: true}))
		rows := tshark(t, name,
			"tcp.checksum.status", "ip.checksum.status", "_ws.malformed",
			"tcp.analysis.retransmission", "mptcp.reinjection_of",
			"tcp.options.mptcp.rawdataseqno", "tcp.options.mptcp.rawdataack", "tcp.len")
		packets := s.Packets(HostA)
		assert.Assert(t, len(rows) == len(packets), "version %d: tshark shows %d packets, want %d", version, len(rows), len(packets))
		found := [2]int{}
		for i, r := range rows {
			assert.Check(t, r[0] == "1" && strings.Trim(r[1], "1") == "" && r[2] == "", "version %d, packet %d: checksums or form: %q", version, i+1, r)
			for k := range found {
				if r[3+k] != "" {
					found[k]++
				}
			}
			if got, want := r[5:], numbers(t, &packets[i]); strings.Join(got, " ") != strings.Join(want, " ") {
				t.Errorf("version %d, packet %d: DSN, DATA_ACK and length %q, want %q", version, i+1, got, want)
			}
		}
		assert.Check(t, found == [2]int{1, 1}, "version %d: tshark counts %d retransmissions and %d reinjections, want 1 and 1", version, found[0], found[1])
	}
}

// numbers returns what tshark should show of a packet.
func numbers(t *testing.T, p *Packet) []string {
	t.Helper()
	out := []string{"", "", fmt.Sprint(p.WirePayload())}
	if signal(p, mptcp.SubDSS) == nil {
		return out
	}
	d := dss(t, p)
	if d.Has(mptcp.DSSMap) {
		out[0] = fmt.Sprint(d.DSN)
	}
	if d.Has(mptcp.DSSAck) {
		out[1] = fmt.Sprint(d.DataAck)
	}
	return out
}
