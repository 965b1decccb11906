package engine_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
)

// lessTTL returns an Ethernet frame as a router sends it on: the time to live is less by one, and
// the MAC addresses are others.
func lessTTL(data []byte) []byte {
	out := bytes.Clone(data)
	copy(out, []byte{2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 8})
	if out[12] == 0x08 && out[13] == 0 {
		out[14+8]--
		sum := uint32(binary.BigEndian.Uint16(out[14+10:])) + 0x0100
		binary.BigEndian.PutUint16(out[14+10:], uint16(sum+sum>>16))
	} else {
		out[14+7]--
	}
	return out
}

func unaltered(data []byte) []byte { return data }

// twice is a way in which a capture shows each packet twice.
type twice struct {
	name  string
	alter func(frame []byte) []byte
	after func(r *rand.Rand) time.Duration
	most  float64 // the longest such time, ms
	apart bool    // a path lies between both places

	anyLink bool // not only for Ethernet
}

func always(d time.Duration) func(*rand.Rand) time.Duration {
	return func(*rand.Rand) time.Duration { return d }
}

var waysTwice = []twice{
	{name: "router", alter: lessTTL, after: always(30 * time.Microsecond), most: 0.03},
	{name: "some us later", alter: unaltered, after: func(r *rand.Rand) time.Duration { return time.Duration(r.IntN(100_000)) }, most: 0.1, anyLink: true},
	{name: "behind a path", alter: lessTTL, after: always(7 * time.Millisecond), most: 7, apart: true},
}

// notOfTwice are the leaves that another place in the file changes.
var notOfTwice = regexp.MustCompile(`packet|captures|warnings|made_by|detail|fallback|drops.per_s|\.text$|evidence`)

// repeated are the leaves of sessions in which packets come twice anyway, which the network
// duplicated, or which are RSTs without an identification: the time of such a packet may be that of a copy.
var repeated = map[string]*regexp.Regexp{
	"l-spurious": regexp.MustCompile(`throughput_mbps|dsn_offset_bytes|time_account`),
	"p-abort":    regexp.MustCompile(`end_s$|duration_s$`),
}

// retransmission finds the figures and verdicts that take a copy for a packet that was sent again.
var retransmission = regexp.MustCompile(`retransmit|\.drops|bytes$|reinjected|spurious`)

// TestEachPacketTwice doubles the packets of the bundled sessions in several ways. The report is that on
// the single capture. Where a path lies between the places of the two copies, figures of time are
// absent, and a warning says so.
func TestEachPacketTwice(t *testing.T) {
	t.Parallel()
	share := len(waysTwice) / testrun.Cases(len(waysTwice)) // of the ways one in so many is tried on a session
	for k, name := range testrun.Few(bundled(t)) {
		f := framesOf(t, name)
		want, codes := figuresAndCodes(t, f.pcapng())
		for i := range waysTwice {
			way := &waysTwice[i]
			if (i+k)%share != 0 {
				continue
			}
			ethernet := len(f.links) == 1 && f.links[0] == capture.LinkEthernet
			if rtt, ok := want[".connections[0].subflows[0].handshake_rtt_ms"].(float64); !ethernet && !way.anyLink || ok && rtt < way.most {
				continue // later than a round trip
			}
			t.Run(way.name+" "+name, func(t *testing.T) {
				r := rand.New(rand.NewPCG(1, 2))
				file := f.doubled(func() time.Duration { return way.after(r) }, way.alter).pcapng()
				if way.apart {
					compareApart(t, want, file)
					return
				}
				got, after := figuresAndCodes(t, file)
				but := repeated[filepath.Base(filepath.Dir(name))]
				for path, w := range want {
					if g := got[path]; g != w && !notOfTwice.MatchString(path) && (but == nil || !but.MatchString(path)) {
						t.Errorf("%s: %v, and %v with each packet twice", path, w, g)
					}
				}
				for code := range after {
					assert.Check(t, codes[code] != 0, "verdict %s comes with each packet twice", code)
				}
			})
		}
	}
}

// doubled returns a capture that has each packet again, so much later.
func (f frames) doubled(after func() time.Duration, alter func([]byte) []byte) frames {
	both := slices.Clone(f.list)
	for _, raw := range f.list {
		again := alter(raw.Data)
		raw.Time, raw.WireLen, raw.Data = raw.Time+int64(after()), raw.WireLen+len(again)-len(raw.Data), again
		both = append(both, raw)
	}
	return f.with(both).sorted()
}

// compareApart checks that no copy counts as a packet that was sent again, and that no time is
// measured between the two places.
func compareApart(t *testing.T, want map[string]any, file []byte) {
	t.Helper()
	doc := analyzedInCells(t, file)
	told := false
	for _, w := range doc.Warnings {
		told = told || w.Code == "captured_at_two_places"
	}
	assert.Check(t, told, "no warning captured_at_two_places")
	got, _ := figuresAndCodesOf(t, doc)
	for path, w := range want {
		g, there := got[path]
		assert.Check(t, !there || g == w || !retransmission.MatchString(path) || notOfTwice.MatchString(path), "%s: %v, and %v with each packet twice", path, w, g)
	}
	for i := range doc.Connections {
		for _, s := range doc.Connections[i].Subflows {
			if s.A2B.SRTT != nil || s.B2A.SRTT != nil {
				t.Errorf("connection %d has an SRTT", i)
			}
		}
	}
}

// figuresAndCodes returns the leaves of a report by their paths, and the codes of its verdicts.
func figuresAndCodes(t *testing.T, file []byte) (map[string]any, map[report.VerdictCode]int) {
	t.Helper()
	return figuresAndCodesOf(t, analyzedInCells(t, file))
}

// analyzedInCells returns the report on a file, with short cells.
func analyzedInCells(t *testing.T, file []byte) *report.Document {
	t.Helper()
	o := piped(file)
	o.Interval, o.Decap = time.Millisecond, true
	return analyzed(t, o)
}

// figuresAndCodesOf is figuresAndCodes for a report.
func figuresAndCodesOf(t *testing.T, doc *report.Document) (map[string]any, map[report.VerdictCode]int) {
	t.Helper()
	leaves := map[string]any{}
	for i := range doc.Connections { // it is about the file
		*doc.Connections[i].Verdicts = slices.DeleteFunc(*doc.Connections[i].Verdicts, func(v report.Verdict) bool { return v.Code == report.VerdictTwice })
	}
	for i := range doc.TCP {
		doc.TCP[i].Verdicts = slices.DeleteFunc(doc.TCP[i].Verdicts, func(v report.Verdict) bool { return v.Code == report.VerdictTwice })
	}
	text, err := json.Marshal(doc)
	assert.NilError(t, err)
	var tree any
	assert.NilError(t, json.Unmarshal(text, &tree))
	var walk func(path string, x any)
	walk = func(path string, x any) {
		switch x := x.(type) {
		case map[string]any:
			for name, v := range x {
				walk(path+"."+name, v)
			}
		case []any:
			for i, v := range x {
				walk(fmt.Sprintf("%s[%d]", path, i), v)
			}
		default:
			leaves[path] = x
		}
	}
	walk("", tree)
	return leaves, codes(doc)
}
