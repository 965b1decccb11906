package engine_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mpanalyze/internal/engine"
)

// TestTwoHostsAsOneView: captures of both hosts are not accepted as one host's, whenever
// they begin, whatever their clocks show, and even if a translator changes addresses. Files
// of one host's interfaces are accepted.
func TestTwoHostsAsOneView(t *testing.T) {
	v1 := filepath.Join(sessions, "v1")
	client, server := load(t, "v1/b-lte-cubic/client.pcap.zst", 0), load(t, "v1/b-lte-cubic/server.pcap.zst", 0)
	at := func(session, file string) string { return filepath.Join(v1, session, file) }
	two := map[string][2]string{
		"plain":              {at("b-lte-cubic", "client.pcap.zst"), at("b-lte-cubic", "server.pcap.zst")},
		"translated":         {at("p-nat", "server.pcap.zst"), at("p-nat", "client.pcap.zst")},
		"another clock":      {at("p-skew", "client.pcap.zst"), at("p-skew", "server.pcap.zst")},
		"segments cut":       {at("a-sym-up", "client.pcap.zst"), filepath.Join(outside, "v1/a-sym-up/server.pcap.zst")},
		"an interface of it": {at("p-perif", "client.p2.pcap.zst"), at("p-perif", "server.pcap.zst")},
		"begins late":        {window(t, client, 0, 1), window(t, server, 0.6, 1)},
	}
	for name, files := range two {
		if _, err := os.Stat(files[1]); err != nil {
			t.Logf("%s: not looked at, as %v", name, err)
			continue
		}
		_, err := engine.Analyze(context.Background(), engine.Options{Paths: files[:], Connection: engine.AllConnections})
		var found *engine.TwoHostsError
		if !errors.As(err, &found) || found.Files != files || found.RTT < 10*time.Millisecond || engine.Damaged(err) {
			t.Errorf("%s: %v, want an error that names both", name, err)
		}
		// Every command opens captures in the same way.
		if _, err := engine.Track(context.Background(), engine.Options{Paths: files[:]}); !errors.As(err, &found) {
			t.Errorf("%s: Track: %v", name, err)
		}
	}
	for name, files := range map[string][]string{
		"an interface each":    {at("p-perif", "client.p1.pcap.zst"), at("p-perif", "client.p2.pcap.zst")},
		"rotated":              {window(t, client, 0, 0.5), window(t, client, 0.5, 1)},
		"rotated, overlapping": {window(t, client, 0, 0.6), window(t, client, 0.4, 1)},
		"another session":      {at("b-lte-cubic", "client.pcap.zst"), at("p-nat", "server.pcap.zst")},
	} {
		if _, err := engine.Track(context.Background(), engine.Options{Paths: files}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := engine.Track(context.Background(), engine.Options{Paths: []string{at("p-nat", "client.pcap.zst"), "missing.pcap"}}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestForwardedIsOneView: a host that forwards packets has each at two interfaces. Some
// wait in its queue between; the first ones do not.
func TestForwardedIsOneView(t *testing.T) {
	m := load(t, "v1/b-lte-cubic/client.pcap.zst", 0)
	later := func(us uint32, every int) string {
		out := bytes.Clone(m.file[:m.head])
		for i, u := range m.units {
			p := bytes.Clone(m.file[u.at : u.at+u.size])
			wait := us
			if i%every == 0 {
				wait = 20
			}
			addMicroseconds(p, wait)
			out = append(out, p...)
		}
		return save(t, filepath.Join(t.TempDir(), "out.pcap"), out)
	}
	in := save(t, filepath.Join(t.TempDir(), "in.pcap"), m.file)
	if _, err := engine.Track(context.Background(), engine.Options{Paths: []string{in, later(20000, 50)}}); err != nil {
		t.Error(err)
	}
}

// TestNoPair: one capture is no pair, also with a copy whose clock is shifted; captures of
// different sessions are none either. Captures of two hosts on one machine are a pair.
func TestNoPair(t *testing.T) {
	m := load(t, "v1/b-lte-cubic/client.pcap.zst", 0)
	file := save(t, filepath.Join(t.TempDir(), "x.pcap"), m.file)
	shifted := bytes.Clone(m.file)
	for _, u := range m.units {
		addMicroseconds(shifted[u.at:u.at+u.size], 123456)
	}
	cut := save(t, filepath.Join(t.TempDir(), "cut.pcap"), m.file[:len(m.file)-3])
	link := filepath.Join(t.TempDir(), "link.pcap")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(sessions, "v1/p-nat/server.pcap.zst")
	for name, c := range map[string]struct {
		files [2]string
		want  string
	}{
		"the same file": {[2]string{file, file}, "are the same capture"},
		"a link to it":  {[2]string{file, link}, "are the same capture"},
		"a copy":        {[2]string{file, save(t, filepath.Join(t.TempDir(), "copy.pcap"), m.file)}, "are the same capture"},
		"shifted":       {[2]string{save(t, filepath.Join(t.TempDir(), "later.pcap"), shifted), file}, "are the same capture"},
		"unrelated":     {[2]string{file, other}, "have no TCP connection in common"},
		"cut":           {[2]string{cut, other}, "have no TCP connection in common"},
	} {
		doc, err := engine.Analyze(context.Background(), engine.Options{Paths: c.files[:1], Receiver: c.files[1:], Swap: true, Connection: engine.AllConnections})
		if doc != nil || err == nil || engine.Damaged(err) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.files[0]) || !strings.Contains(err.Error(), c.files[1]) {
			t.Errorf("%s: %v, want an error that says %q and names both", name, err, c.want)
		}
	}
	veth := filepath.Join(sessions, "v1/o-tso-veth")
	if _, err := engine.Analyze(context.Background(), engine.Options{Paths: []string{veth + "/client.pcap.zst"}, Receiver: []string{veth + "/server.pcap.zst"}, Swap: true, Connection: engine.AllConnections}); err != nil {
		t.Error(err)
	}
}

// addMicroseconds adds to the stamp of a record of a little-endian classic pcap in microseconds.
func addMicroseconds(record []byte, us uint32) {
	at := binary.LittleEndian.Uint32(record[4:]) + us
	binary.LittleEndian.PutUint32(record, binary.LittleEndian.Uint32(record)+at/1e6)
	binary.LittleEndian.PutUint32(record[4:], at%1e6)
}
