package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/jsonreport"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/reporttest"
)

// TestPairTruth compares the reports on both captures of the bundled sessions with the
// truth: drops and one-way delays in the emulator's log. The options do not say which
// capture is the sender's. The clocks are trusted if one clock made both captures, and
// found otherwise.
func TestPairTruth(t *testing.T) {
	t.Parallel()
	judged, sessionsJudged := 0, 0
	err := filepath.WalkDir(sessions, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "expected.json" {
			return err
		}
		t.Run(filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), sessions+string(filepath.Separator))), func(t *testing.T) {
			if n := judgePair(t, path); n > 0 {
				judged += n
				sessionsJudged++
			}
		})
		return nil
	})
	if err != nil || sessionsJudged < 5 || judged < 80 {
		t.Errorf("only %d facts of %d sessions were judged: %v", judged, sessionsJudged, err)
	}
}

// bothEnds returns options for the two captures of a session, or says that one
// is not bundled.
func bothEnds(t *testing.T, path string) (o engine.Options, x truth, ok bool) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var clocks struct{ Pair *struct{ Clock string } }
	if json.Unmarshal(text, &x) != nil || json.Unmarshal(text, &clocks) != nil || clocks.Pair == nil {
		return o, x, false
	}
	o = engine.Options{Interval: 100 * time.Millisecond, Connection: engine.AllConnections, Swap: true}
	if clocks.Pair.Clock == "none" {
		o.Clock = clock.None
	}
	for end, files := range map[string]*[]string{"client": &o.Paths, "server": &o.Receiver} {
		for _, f := range x.Captures[end] {
			name := filepath.Join(filepath.Dir(path), f)
			if _, err := os.Stat(name); err != nil {
				return o, x, false
			}
			*files = append(*files, name)
		}
	}
	return o, x, len(o.Paths) > 0 && len(o.Receiver) > 0
}

func judgePair(t *testing.T, path string) (judged int) {
	o, x, ok := bothEnds(t, path)
	if !ok {
		return 0
	}
	doc, text := analyzeBoth(t, o)
	if err := reporttest.Check(doc); err != nil {
		t.Error(err)
	}
	if err := schema(t).Validate(parsed(t, text)); err != nil {
		t.Errorf("the report does not fit the schema: %v", err)
	}
	var whole map[string]any
	if err := json.Unmarshal(text, &whole); err != nil {
		t.Fatal(err)
	}
	judged += judge(t, "pair", "report", x.Facts, func(string) map[string]any { return whole })
	for i := range x.Connections {
		c := &x.Connections[i]
		var got map[string]any
		for _, m := range c.Match {
			if got == nil {
				got = findConnection(whole, m)
			}
		}
		if got == nil {
			t.Errorf("no connection %v", c.Match)
			continue
		}
		judged += judge(t, "pair", c.Match["client"].A, c.Facts, func(sub string) map[string]any {
			for _, ends := range c.Subflows[sub] {
				if s := findEnds(got["subflows"], ends); s != nil {
					return s
				}
			}
			return got
		})
	}
	return judged
}

func analyzeBoth(t *testing.T, o engine.Options) (*report.Document, []byte) {
	t.Helper()
	doc, err := engine.Analyze(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := jsonreport.Write(&text, doc); err != nil {
		t.Fatal(err)
	}
	return doc, text.Bytes()
}

// TestPairOrder: whichever capture is named first, the report is the same.
func TestPairOrder(t *testing.T) {
	for _, name := range []string{"p-nat", "p-skew", "a-sym-up"} {
		o, _, ok := bothEnds(t, filepath.Join(sessions, "v1", name, "expected.json"))
		if !ok {
			t.Logf("%s: one capture is bundled", name)
			continue
		}
		_, one := analyzeBoth(t, o)
		o.Paths, o.Receiver = o.Receiver, o.Paths
		_, other := analyzeBoth(t, o)
		if diff := cmp.Diff(string(one), string(other)); diff != "" {
			t.Errorf("%s (-one way +other way)\n%.2000s", name, diff)
		}
	}
}

// TestThreeVantages: the figures of the sender's capture, of the receiver's and of both
// must agree for each direction. Drops inferred at the sender may be too many if a DSACK
// was lost, and too few by what a dead path lost at its end. Gaps filled at the receiver
// are a lower bound. In l-spurious one packet is 400 ms late and nothing is lost: its copy
// fills the gap at the receiver, where that looks like a loss.
func TestThreeVantages(t *testing.T) {
	told := 0
	for _, name := range []string{"l-single-loss", "l-spurious", "l-lost-setup", "a-sym-up", "p-nat", "i-v6-v4", "h-csum-flip-two"} {
		o, _, ok := bothEnds(t, filepath.Join(sessions, "v1", name, "expected.json"))
		if !ok {
			continue
		}
		both, _ := analyzeBoth(t, o)
		for _, paths := range [][]string{o.Paths, o.Receiver} {
			one := o
			one.Paths, one.Receiver = paths, nil
			alone, _ := analyzeBoth(t, one)
			for i := range both.Connections {
				told += compareVantages(t, name, &both.Connections[i], alone)
			}
		}
	}
	if told < 10 {
		t.Errorf("only %d directions were compared", told)
	}
}

// heldUp counts packets that came later than reordering explains.
var heldUp = map[string]int64{"l-spurious": 1}

func compareVantages(t *testing.T, name string, both *report.Connection, alone *report.Document) (told int) {
	for c := range alone.Connections {
		x := &alone.Connections[c]
		if x.TokenB == nil || both.TokenB == nil || *x.TokenB != *both.TokenB {
			continue
		}
		for i := range both.Subflows {
			for j := range x.Subflows {
				s, a := &both.Subflows[i], &x.Subflows[j]
				if a.A != s.A && a.A != *s.ReceiverA {
					continue
				}
				for _, d := range [][2]*report.SubDir{{s.A2B, a.A2B}, {s.B2A, a.B2A}} {
					exact, guess := d[0].Drops, d[1].Drops
					if exact == nil || guess == nil || d[0].CapturedSegments == 0 {
						continue
					}
					told++
					switch {
					case guess.Evidence == report.Holes && guess.Count > exact.Count+heldUp[name]:
						t.Errorf("%s subflow %d: %d gaps were filled, %d segments lost", name, s.ID, guess.Count, exact.Count)
					case guess.Evidence == report.Inferred && (guess.Count > exact.Count+1 || guess.Count+guess.Unresolved < exact.Count):
						t.Errorf("%s subflow %d: the sender infers %d drops (%d open), there were %d", name, s.ID, guess.Count, guess.Unresolved, exact.Count)
					}
				}
			}
		}
	}
	return told
}

// TestPairFormats: the two captures need not be of the same format, nor be cut
// at the same place, nor have the same resolution.
func TestPairFormats(t *testing.T) {
	o, _, ok := bothEnds(t, filepath.Join(sessions, "v1", "l-spurious", "expected.json"))
	if !ok {
		t.Fatal("l-spurious is not bundled whole")
	}
	_, want := analyzeBoth(t, o)
	m := load(t, "v1/l-spurious/server.pcap.zst", 0)
	name := filepath.Join(t.TempDir(), "again.pcap")
	if err := os.WriteFile(name, snap(m, 90), 0o600); err != nil {
		t.Fatal(err)
	}
	o.Receiver = []string{name}
	_, got := analyzeBoth(t, o)
	var a, b struct {
		Connections []struct {
			Subflows []struct {
				A2B struct{ Drops, Network any } // its few packets are ACKs, of which the SACK blocks are cut
				B2A struct{ Drops, OWD_MS, Network any }
			}
		}
	}
	if json.Unmarshal(want, &a) != nil || json.Unmarshal(got, &b) != nil || len(a.Connections) == 0 {
		t.Fatal("no connections")
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("(-whole +cut to 90 bytes)\n%s", diff)
	}
}

// snap cuts every packet of a little-endian classic pcap to n bytes.
func snap(m material, n int) []byte {
	out := append([]byte(nil), m.file[:m.head]...)
	for _, u := range m.units {
		record := append([]byte(nil), m.file[u.at:u.at+u.size]...)
		if len(record) > 16+n {
			record = record[:16+n]
			record[8], record[9] = byte(n), byte(n>>8)
		}
		out = append(out, record...)
	}
	return out
}
