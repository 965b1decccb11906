package counters_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/conn/conntest"
	"mpanalyze/internal/counters"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/tracegen"
)

const bundled = "../../testdata/counters"

var (
	client = counters.Host{Role: true, Side: conn.A}
	server = counters.Host{Role: true, Side: conn.B}
)

// counted returns the counters that a capture shows, by name, and those that it does not.
func counted(t *testing.T, path string, h counters.Host) (known map[string]int64, absent map[string]string) {
	t.Helper()
	c := counters.NewCollector(h)
	if _, err := engine.Track(context.Background(), engine.Options{Paths: []string{path}, Modules: []conn.Module{c}}); err != nil {
		t.Fatal(err)
	}
	return split(t, c)
}

func split(t *testing.T, c *counters.Collector) (known map[string]int64, absent map[string]string) {
	t.Helper()
	list, err := c.Counters()
	assert.NilError(t, err)
	known, absent = map[string]int64{}, map[string]string{}
	for _, x := range list {
		if x.Why == "" {
			known[x.Name] = x.Value
		} else {
			absent[x.Name] = x.Why
		}
	}
	return known, absent
}

// nonzero leaves out zeros, as nstat does.
func nonzero(all map[string]int64) map[string]int64 {
	out := map[string]int64{}
	for name, n := range all {
		if n != 0 {
			out[name] = n
		}
	}
	return out
}

// TestAgainstKernel compares the counters with those of the host at which a capture was made.
func TestAgainstKernel(t *testing.T) {
	facts := 0
	for _, l := range manifest(t, filepath.Join(bundled, "manifest.jsonl")) {
		facts += judge(t, l)
	}
	assert.Check(t, facts >= 500, "only %d facts", facts)
}

// line is what is known of one capture.
type line struct {
	File, Test, Host string
	Counters         map[string]int64
	Wire             []string // names of counters for which the kernel and the place of the capture saw different packets
}

func manifest(t *testing.T, path string) (list []line) {
	t.Helper()
	f, err := os.Open(path)
	assert.NilError(t, err)
	defer f.Close()
	for scan := bufio.NewScanner(f); scan.Scan(); {
		var l line
		assert.NilError(t, json.Unmarshal(scan.Bytes(), &l))
		list = append(list, l)
	}
	return list
}

// besides lists the counters of packets that the tests' firewalls dropped before or behind the
// place of the capture. All other counters of the kernel must agree, also those of rejected
// joins.
var besides = []string{"EchoAddTx", "MPJoinSynRx"}

// judge compares the counters of one capture with the kernel's.
func judge(t *testing.T, l line) (facts int) {
	t.Helper()
	h := server
	if l.Host == "client" {
		h = client
	}
	got, absent := counted(t, filepath.Join(bundled, l.File), h)
	for name, n := range got {
		facts++
		if short := strings.TrimPrefix(name, counters.Prefix); l.Counters[name] != n && !(slices.Contains(l.Wire, short) && slices.Contains(besides, short)) {
			t.Errorf("%s (%s), %s: %s is %d, the kernel says %d", l.File, l.Test, l.Host, name, n, l.Counters[name])
		}
	}
	for name := range l.Counters {
		if _, known := got[name]; !known && absent[name] == "" && strings.HasPrefix(name, counters.Prefix) {
			t.Errorf("%s: the kernel has %s, which is neither known nor absent", l.File, name)
		}
	}
	return facts
}

// TestAgainstNstat compares the counters of both hosts, in two runs of one test, with both forms
// of what nstat wrote there: several connections, joins, addresses, a fallback.
func TestAgainstNstat(t *testing.T) {
	for _, run := range []string{"run1", "run2"} {
		for name, h := range map[string]counters.Host{"client": client, "server": server} {
			path := filepath.Join(bundled, run, name)
			got, absent := counted(t, path+".pcap.zst", h)
			for _, form := range []string{".nstat", ".nstat.json"} {
				want := parsed(t, path+form)
				for name := range want {
					if absent[name] != "" {
						delete(want, name)
					}
				}
				if diff := cmp.Diff(want, nonzero(got)); diff != "" || len(want) < 10 {
					t.Errorf("%s%s, %d counters: (-nstat +capture)\n%s", path, form, len(want), diff)
				}
			}
		}
	}
}

func parsed(t *testing.T, path string) map[string]int64 {
	t.Helper()
	got, err := counters.Read(path)
	assert.NilError(t, err)
	return got
}

// TestHostByAddress: an address selects the same host as its role, and the host where
// the capture was made needs no name where the capture tells.
func TestHostByAddress(t *testing.T) {
	path := filepath.Join(bundled, "run1/server.pcap.zst")
	want, _ := counted(t, path, server)
	for name, h := range map[string]counters.Host{"address": {Addr: netip.MustParseAddr("10.77.1.2")}, "nothing": {}} {
		got, _ := counted(t, path, h)
		assert.Check(t, is.DeepEqual(got, want), "%s:", name)
	}
	c := counters.NewCollector(counters.Host{Addr: netip.MustParseAddr("192.0.2.77")})
	if _, err := engine.Track(context.Background(), engine.Options{Paths: []string{path}, Modules: []conn.Module{c}}); err != nil || c.Connections() != 0 {
		t.Errorf("an address that is not there has %d connections, %v", c.Connections(), err)
	}
}

// TestWhose: if a capture does not show at which host it was made, counters are printed only if
// the user names the host.
func TestWhose(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1}) // without delay: neither end is nearer
	s.Subflow(tracegen.Path{A: netip.MustParseAddrPort("10.0.0.1:40000"), B: netip.MustParseAddrPort("10.0.1.1:80")}).Open(0)
	c := counters.NewCollector(counters.Host{})
	conntest.Play(t, s, tracegen.Middle, c)
	if _, err := c.Counters(); !errors.Is(err, counters.ErrWhose) {
		t.Errorf("got %v, want ErrWhose", err)
	}
}

// TestOtherEnd: connections that were captured at the peer are counted.
func TestOtherEnd(t *testing.T) {
	c := counters.NewCollector(client)
	path := filepath.Join(bundled, "run1/server.pcap.zst")
	if _, err := engine.Track(context.Background(), engine.Options{Paths: []string{path}, Modules: []conn.Module{c}}); err != nil {
		t.Fatal(err)
	}
	if c.AtOtherEnd() != 4 {
		t.Errorf("%d connections were captured at the other end, want 4", c.AtOtherEnd())
	}
}

const msec = time.Millisecond

// TestMiddle: a capture that begins in the middle of a connection does not show the
// handshakes, and says so.
func TestMiddle(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1})
	path := s.Subflow(tracegen.Path{A: netip.MustParseAddrPort("10.0.0.1:40000"), B: netip.MustParseAddrPort("10.0.1.1:80")})
	path.Open(0)
	path.Data(tracegen.A2B, 1000*msec, 0, 1000)
	path.Data(tracegen.A2B, 1001*msec, 1000, 1000)
	c := counters.NewCollector(server)
	conntest.Play(t, s, tracegen.HostB, c, 1, 2, 3)
	known, absent := split(t, c)
	if n, ok := known[counters.Prefix+"MPCapableSYNRX"]; ok {
		t.Errorf("MPCapableSYNRX is %d without a handshake", n)
	}
	if why := absent[counters.Prefix+"MPCapableSYNRX"]; !strings.Contains(why, "the handshake of a connection is not in the capture") {
		t.Errorf("absent because %q", why)
	}
	if n := known[counters.Prefix+"MPPrioRx"]; n != 0 {
		t.Errorf("MPPrioRx is %d", n)
	}
}

// TestWriteReads: counters that were written are read back unchanged, in both forms, which are
// nstat's.
func TestWriteReads(t *testing.T) {
	list := []counters.Counter{{Name: "MPTcpExtAddAddr", Value: 3}, {Name: "MPTcpExtMPJoinSynRx"}, {Name: "MPTcpExtOFOQueue", Why: "a reason"}}
	var text, all, short bytes.Buffer
	assert.NilError(t, errors.Join(counters.Write(&text, list, false), counters.Write(&all, list, true), counters.WriteJSON(&short, list, true)))
	if want := "#kernel\nMPTcpExtAddAddr                 3                  0.0\n"; text.String() != want {
		t.Errorf("text is %q, want %q", &text, want)
	}
	if want := `{"kernel":{"MPTcpExtAddAddr":3,"MPTcpExtMPJoinSynRx":0},"absent":{"MPTcpExtOFOQueue":"a reason"},"schema":"mpanalyze.counters/1"}` + "\n"; short.String() != want {
		t.Errorf("JSON is %s, want %s", &short, want)
	}
	assert.Check(t, strings.Contains(all.String(), "MPTcpExtOFOQueue                -               # a reason\n"), "with all:\n%s", &all)
	for _, b := range []*bytes.Buffer{&text, &all} {
		if got, err := readText(t, b.String()); err != nil || got["MPTcpExtAddAddr"] != 3 || got["MPTcpExtMPJoinSynRx"] != 0 {
			t.Errorf("reads back as %v, %v", got, err)
		}
	}
}

// readText reads a text as the output of nstat.
func readText(t *testing.T, text string) (map[string]int64, error) {
	name := filepath.Join(t.TempDir(), "nstat")
	assert.NilError(t, os.WriteFile(name, []byte(text), 0o666))
	return counters.Read(name)
}

// TestRead: text that nstat does not write is refused, and the message says what is wrong.
func TestRead(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "it is empty"},
		{"a capture", "\xd4\xc3\xb2\xa1\x02\x00", "it is a capture"},
		{"name alone", "#kernel\nMPTcpExtAddAddr\n", "line 2: MPTcpExtAddAddr"},
		{"no number", "#kernel\nMPTcpExtAddAddr x 0.0\n", "line 2: MPTcpExtAddAddr x 0.0"},
		{"negative", "#kernel\nMPTcpExtAddAddr -5 0.0\n", "line 2"},
		{"JSON of something else", `{"a":{},"b":{}}`, "its content is not known"},
		{"broken JSON", `{"kernel":{"MPTcpExtAddAddr":1,`, "line 1"},
	} {
		if _, err := readText(t, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	for _, good := range []string{"#kernel\n", "#kernel\nIpInReceives 5 0.0\n", `{"kernel":{}}`, "#12.7 sampling_interval=5\nIpInReceives 1 0.0\n"} {
		if got, err := readText(t, good); err != nil || len(got) != 0 {
			t.Errorf("%q: %v, %v; want nothing", good, got, err)
		}
	}
}

// TestDiff: a counter that nstat left out is zero; one that the capture cannot show is
// not compared.
func TestDiff(t *testing.T) {
	list := []counters.Counter{{Name: "x", Value: 2}, {Name: "y", Value: 1}, {Name: "z"}, {Name: "unseen", Why: "so"}, {Name: "unseen zero", Why: "so"}}
	differ, same, unknown := counters.Diff(map[string]int64{"x": 2, "z": 4, "unseen": 9, "newer": 1}, list)
	if diff := cmp.Diff([]counters.Difference{{"y", 0, 1}, {"z", 4, 0}}, differ); diff != "" || same != 1 || unknown != 2 {
		t.Errorf("%d are the same, %d not known; (-want +got)\n%s", same, unknown, diff)
	}
	// With zeros listed, what is not listed is no counter of that kernel.
	differ, same, unknown = counters.Diff(map[string]int64{"x": 2, "z": 0}, list)
	assert.Check(t, len(differ) == 0 && same == 2 && unknown == 0, "with zeros: %v differ, %d are the same, %d not known", differ, same, unknown)
	differ, _, _ = counters.Diff(map[string]int64{"x": 2, "z": 4, "unseen": 9, "newer": 1}, list)
	table := fmt.Sprintf("%s%v\n%v\n", counters.DiffHead, differ[0], differ[1])
	want := fmt.Sprintf("%-32s%12s%12s%12s\n%-32s%12d%12d%12s\n%-32s%12d%12d%12s\n", "counter", "nstat", "capture", "difference", "y", 0, 1, "+1", "z", 4, 0, "-4")
	assert.Check(t, table == want, "got\n%swant\n%s", table, want)
}
