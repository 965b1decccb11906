package main

import (
	"bytes"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/cli"
	"mpanalyze/internal/plot"
	"mpanalyze/internal/tracegen"
)

// century is the time after which the captures of these tests go on.
const century = 100 * 365 * 24 * time.Hour

// yearsCapture writes a connection of Multipath TCP over two paths, and one of plain TCP on the
// first of them. Both carry data for a second, and again a hundred years later. The hosts have
// TCP timestamps or not: with them the step may be one of the capture's clock.
func yearsCapture(t *testing.T, dir string, stamps bool, size int) (a, b string) {
	t.Helper()
	n := tracegen.NewNetwork(time.Date(1990, time.March, 1, 12, 0, 0, 0, time.UTC)) // times of captures end in 2116
	for plain := range 2 {
		s := n.Session(tracegen.Config{Version: 1, Plain: plain == 1, NoTimestamps: !stamps, AckEvery: 1})
		server := netip.MustParseAddrPort("10.0.1.1:80")
		subs := []*tracegen.Subflow{s.Subflow(tracegen.Path{A: netip.AddrPortFrom(netip.MustParseAddr("10.0.0.1"), uint16(40000+plain)), B: server})}
		subs[0].Open(0)
		if plain == 0 {
			subs = append(subs, s.Subflow(tracegen.Path{A: netip.MustParseAddrPort("10.0.2.1:40002"), B: server, Nonce: [2]uint32{1, 2}, Delay: [2]time.Duration{40 * time.Millisecond, 40 * time.Millisecond}}))
			subs[1].Open(100 * time.Millisecond)
		}
		offset := int64(0)
		for _, begin := range []time.Duration{500 * time.Millisecond, century} {
			for i := range 150 {
				subs[i%len(subs)].Data(tracegen.A2B, begin+time.Duration(i)*7*time.Millisecond, offset, size)
				offset += int64(size)
			}
		}
		s.Close(century+5*time.Second, offset, 0)
	}
	n.Run()
	save := func(name string, v tracegen.View) string {
		var file bytes.Buffer
		assert.NilError(t, n.Write(&file, v, tracegen.Format{PcapNG: true}))
		name = filepath.Join(dir, name)
		assert.NilError(t, os.WriteFile(name, file.Bytes(), 0o600))
		return name
	}
	prefix := fmt.Sprintf("%v-%d-", stamps, size)
	return save(prefix+"a.pcapng", tracegen.HostA), save(prefix+"b.pcapng", tracegen.HostB)
}

// TestYears gives every command captures of 1,200 packets with a pause of a hundred years. Time
// and memory depend on the packets, not on the time between them.
func TestYears(t *testing.T) {
	for _, stamps := range []bool{false, true} {
		dir := t.TempDir()
		a, b := yearsCapture(t, dir, stamps, 1000)
		a2, b2 := yearsCapture(t, dir, stamps, 900)
		out := func(name string) string { return filepath.Join(dir, name) }
		commands := [][]string{
			{"analyze", a},
			{"analyze", b, "--json"},
			{"analyze", a, "--csv", out("tables")},
			{"analyze", b, "--csv", out("tables2"), "--json", "--extra", "fairness,regret", "--stream", "bitrate=1M"},
			{"analyze", a, "--interval", "0", "--json"},
			{"analyze", a, "--interval", "1us", "--csv", out("tables3")},
			{"analyze", a, "--xplot", out("xplot"), "--mptcptrace", out("csv")},
			{"why", a},
			{"why", b, "--json"},
			{"report", a, "-o", out("page.html")},
			{"report", "--sender", a, "--receiver", b, "-o", out("page2.html")},
			{"live", a},
			{"live", b, "--json"},
			{"live", a, "--interval", "100ms", "--pace", "1e15", "--json"},
			{"packets", a},
			{"packets", b, "--format", "json"},
			{"connections", a},
			{"connections", b, "--distributions"},
			{"connections", "--distributions=csv", "--each", a, b2},
			{"analyze", "--both", a, b},
			{"analyze", "--both", a, b, "--json"},
			{"analyze", "--sender", a, "--receiver", b, "--csv", out("tables4"), "--tables", "chunks,series,packets"},
			{"counters", a, "--host", "a", "--all"},
			{"tcptrace", "-l", "-r", "-W", a},
			{"extract", a, "--connection", "0", "-o", out("x.pcapng")},
			{"follow", a, "--direction", "a2b", "--sha256"},
			{"task", "x=" + a, "y=" + a2, "--output", out("results")},
			{"compare", "--results", out("results")},
		}
		runs := []string{"x=" + a, "y=" + a2}
		for _, table := range []string{"fi23", "qoe24", "mix"} {
			commands = append(commands, append([]string{"compare", "--no-cache", "--table", table, "--csv", out("t.csv"), "--latex=" + out("t.tex"), "--values", out("v.csv"), "--output", out("c.html")}, runs...))
		}
		commands = append(commands, append([]string{"compare", "--no-cache", "--table", "rec16"}, "x="+b, "y="+b2))
		for _, k := range plot.Kinds() {
			figure := []string{"plot", "--kind", k.Name, "-o", out(k.Name + ".svg")}
			switch {
			case k.Pair(nil):
				commands = append(commands, append(figure, "--sender", a, "--receiver", b))
				continue
			case k.Name == "heat":
				commands = append(commands, append(figure, "x/x="+a, "x/y="+a2))
				continue
			case k.Name == "ranks": // runs need a label
				commands = append(commands, append(figure, "--pattern", filepath.Join(dir, "{hour}-{scenario}-a.pcapng")))
				continue
			}
			commands = append(commands, append(slices.Clone(figure), a), append(slices.Clone(figure), runs...))
			if k.Metrics != nil && k.Name != "bars" && k.Name != "box" {
				commands = append(commands, append(figure, "--metric", "throughput,goodput,path_delay,srtt,rwnd", "x="+b, "y="+b2))
			}
		}
		for _, args := range commands {
			endsSmall(t, args)
		}
	}
}

// endsSmall runs a command in this process. It must end within a minute, which is a hundred times
// what it takes, and allocate less than 128 MiB.
func endsSmall(t *testing.T, args []string) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var said string
	var code cli.ExitCode
	done := make(chan struct{})
	go func() {
		defer close(done)
		said, code = runHere(args, func(string) string { return "" })
	}()
	select {
	case <-done:
		if code != cli.ExitOK && !strings.Contains(said, "nothing to draw") { // no jitter where the clock was set
			t.Errorf("%v: exit status %d, %s", args, code, said)
		}
	case <-time.After(time.Minute):
		t.Fatalf("%v does not end", args)
	}
	runtime.ReadMemStats(&after)
	const most = 128 << 20
	n := after.TotalAlloc - before.TotalAlloc
	assert.Check(t, n <= most, "%v allocates %d MiB", args, n>>20)
}
