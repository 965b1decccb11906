package packets_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packets"
	"mpanalyze/internal/report"
)

// runs has two recordings of one protocol test, at both hosts each.
const runs = "../../testdata/counters"

// written returns what is written of a capture.
func written(t *testing.T, path string, o packets.Options) string {
	t.Helper()
	var out bytes.Buffer
	lines := packets.New(&out, o)
	if _, err := engine.Track(context.Background(), engine.Options{Paths: []string{path}, Modules: []conn.Module{lines}}); err != nil {
		t.Fatal(err)
	}
	assert.NilError(t, lines.Flush())
	return out.String()
}

// records returns the packets of a capture as records.
func records(t *testing.T, path string, o packets.Options) (list []packets.Record) {
	t.Helper()
	o.JSON = true
	return decoded(t, written(t, path, o))
}

// decoded reads lines of JSON.
func decoded(t *testing.T, text string) (list []packets.Record) {
	t.Helper()
	for line := range strings.Lines(text) {
		var r packets.Record
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		assert.NilError(t, d.Decode(&r), "%s", line)
		list = append(list, r)
	}
	return list
}

var every = packets.Options{Connection: packets.AllConnections}

// TestOriginals finds the packets that carried data for the first time in another way:
// from all packets, with a list of every byte's first packet.
func TestOriginals(t *testing.T) {
	again := 0
	for _, name := range []string{"v1/f-handover/client.pcap.zst", "v1/l-spurious/client.pcap.zst", "v0/upload/client.pcap.zst", "v1/j-plain-server/server.pcap.zst"} {
		type stream struct {
			id, sub int
			kind    string
			way     string
		}
		first := map[stream]*[]uint64{} // packet by byte
		packetsOf := func(s stream, r [2]int64, num uint64) (list []uint64) {
			if first[s] == nil {
				first[s] = new([]uint64)
			}
			all := first[s]
			if short := r[1] - int64(len(*all)); short > 0 {
				*all = append(*all, make([]uint64, short)...)
			}
			last := num
			for i := r[0]; i < r[1]; i++ {
				switch was := (*all)[i]; was {
				case 0:
					(*all)[i] = num
				case last:
				default:
					list, last = append(list, was), was
				}
			}
			return list
		}
		for _, r := range records(t, filepath.Join(sessions, name), every) {
			var want []uint64
			id := -1
			if r.Connection != nil {
				id = *r.Connection
			}
			if r.SSN != nil {
				want = append(want, packetsOf(stream{id, r.Subflow, r.Kind + r.From + r.To, r.Direction}, *r.SSN, r.Packet)...)
			}
			reinjected := slices.ContainsFunc(r.Marks, func(m string) bool { return strings.HasPrefix(m, "reinjection") })
			for _, d := range r.DSN {
				if list := packetsOf(stream{id, -1, "data", r.Direction}, d, r.Packet); reinjected {
					want = append(want, list...)
				}
			}
			slices.Sort(want)
			want = slices.Compact(want)
			if len(want) > 0 {
				again++
			}
			assert.Check(t, slices.Equal(want, r.Original), "%s: packet %d (%v): original %v, want %v", name, r.Packet, r.Marks, r.Original, want)
		}
	}
	assert.Check(t, again >= 500, "only %d packets carry data again", again)
}

// TestRuns: the events of two runs of one test, and of both hosts, are one text with
// Normalise, and differ without.
func TestRuns(t *testing.T) {
	golden := filepath.Join(runs, "events.jsonl")
	o := packets.Options{Connection: packets.AllConnections, EventLines: true, JSON: true, Normalise: true}
	want := written(t, filepath.Join(runs, "run1/client.pcap.zst"), o)
	n := strings.Count(want, "\n")
	assert.Assert(t, n >= 15, "only %d events", n)
	for _, name := range []string{"run1/server.pcap.zst", "run2/client.pcap.zst", "run2/server.pcap.zst"} {
		assert.Check(t, is.DeepEqual(strings.Split(written(t, filepath.Join(runs, name), o), "\n"), strings.Split(want, "\n")), "%s: run1/client", name)
	}
	o.Normalise = false
	if written(t, filepath.Join(runs, "run1/client.pcap.zst"), o) == written(t, filepath.Join(runs, "run2/client.pcap.zst"), o) {
		t.Error("without Normalise two runs are the same")
	}
	text, err := os.ReadFile(golden)
	assert.NilError(t, err)
	assert.Check(t, is.DeepEqual(want, string(text)), "%s:", golden)
}

// TestNormalise: of what rests on keys, ports and clocks nothing is left in the records
// of whole captures.
func TestNormalise(t *testing.T) {
	o := every
	o.Normalise = true
	raw, named := records(t, filepath.Join(runs, "run1/client.pcap.zst"), every), records(t, filepath.Join(runs, "run1/client.pcap.zst"), o)
	assert.Assert(t, len(raw) == len(named) && len(raw) >= 90, "%d records, %d with names", len(raw), len(named))
	secrets := 0
	for i := range raw {
		a, b := &raw[i], &named[i]
		assert.Check(t, b.Packet == 0 && b.Time == "" && b.TS == nil && b.Window == nil && b.RTT == nil && b.Original == nil, "packet %d: %+v", a.Packet, b)
		for j := range a.Options {
			x, y := &a.Options[j], &b.Options[j]
			if y.DataAck != nil || y.DSN != nil || y.HMAC != "" && y.HMAC != "set" || y.Checksum != "" && y.Checksum != "set" {
				t.Errorf("packet %d: %+v", a.Packet, y)
			}
			for _, k := range [][2]string{{x.SenderKey, y.SenderKey}, {x.ReceiverKey, y.ReceiverKey}, {x.Token, y.Token}, {x.SenderToken, y.SenderToken}, {x.Nonce, y.Nonce}} {
				if k[0] != "" {
					secrets++
					assert.Check(t, k[1] == "set", "packet %d: %q became %q", a.Packet, k[0], k[1])
				}
			}
		}
	}
	assert.Check(t, secrets >= 12, "only %d keys, tokens and nonces", secrets)
}

// TestFilters: each filter keeps exactly the packets that it names.
func TestFilters(t *testing.T) {
	path := filepath.Join(runs, "run1/client.pcap.zst")
	has := func(r *packets.Record, names ...string) bool {
		return slices.ContainsFunc(r.Options, func(o packets.Option) bool { return slices.Contains(names, o.Subtype) })
	}
	all := records(t, path, every)
	for _, c := range []struct {
		name string
		o    packets.Options
		want func(*packets.Record) bool
	}{
		{"joins and addresses", packets.Options{Subtypes: []mptcp.Subtype{mptcp.SubJoin, mptcp.SubAddAddr}}, func(r *packets.Record) bool { return has(r, "MP_JOIN", "ADD_ADDR") }},
		{"DSS", packets.Options{Subtypes: []mptcp.Subtype{mptcp.SubDSS}}, func(r *packets.Record) bool { return has(r, "DSS") }},
		{"events", packets.Options{Events: true}, func(r *packets.Record) bool {
			return len(r.Events) > 0 || has(r, "MP_CAPABLE", "MP_JOIN", "ADD_ADDR", "REMOVE_ADDR", "MP_PRIO", "MP_FASTCLOSE", "MP_TCPRST")
		}},
	} {
		c.o.Connection = packets.AllConnections
		var got, want []uint64
		for _, r := range records(t, path, c.o) {
			got = append(got, r.Packet)
		}
		for i := range all {
			if c.want(&all[i]) {
				want = append(want, all[i].Packet)
			}
		}
		diff := cmp.Diff(want, got)
		assert.Check(t, diff == "" && len(want) >= 5 && len(want) != len(all), "%s: %d of %d (-want +got)\n%s", c.name, len(want), len(all), diff)
	}
}

// TestJSONIsStandard: lines of JSON that are read into a record and written by encoding/json are
// the same lines, and have no field that a record has not.
func TestJSONIsStandard(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(runs, "*.pcap.zst"))
	if err != nil || len(paths) < 10 {
		t.Fatal(paths, err)
	}
	for _, name := range []string{
		"v1/f-handover/client.pcap.zst", "v1/l-spurious/server.pcap.zst", "v1/i-v6-v4/client.pcap.zst", "v1/k-short-bursts/client.pcap.zst",
		"v1/j-plain-server/client.pcap.zst", "v1/j-strip-synack/client.pcap.zst", "v0/abort/client.pcap.zst",
	} {
		paths = append(paths, filepath.Join(sessions, name))
	}
	for _, path := range paths {
		for _, o := range []packets.Options{{}, {Normalise: true}, {EventLines: true}, {EventLines: true, Normalise: true}} {
			o.JSON, o.Connection = true, packets.AllConnections
			text := written(t, path, o)
			assert.Check(t, text != "" || o.EventLines, "%s: no line", path)
			for line := range strings.Lines(text) {
				var v any = new(packets.Record)
				if o.EventLines {
					v = new(packets.EventLine)
				}
				again(t, path, line, v)
			}
		}
	}
}

// again reads a line into v and writes v.
func again(t *testing.T, name, line string, v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(line))
	d.DisallowUnknownFields()
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := d.Decode(v)
	if err == nil {
		err = e.Encode(v)
	}
	assert.Assert(t, err == nil && out.String() == line, "%s: error %v\n got %s\nwant %s", name, err, line, &out)
}

const sessions = "../../testdata/sessions"

// sums is what lines and report say of one direction of a subflow.
type sums struct {
	segments, bytes, samples int64
}

// TestAgainstReport adds up the lines of real sessions and compares the sums
// with the report: packets, payload at the data level, round-trip samples.
func TestAgainstReport(t *testing.T) {
	for _, name := range []string{"v1/f-handover/client.pcap.zst", "v1/k-short-bursts/client.pcap.zst", "v0/upload/client.pcap.zst"} {
		path := filepath.Join(sessions, name)
		var out bytes.Buffer
		lines := packets.New(&out, packets.Options{Connection: packets.AllConnections, JSON: true})
		doc, err := engine.Analyze(context.Background(), engine.Options{Paths: []string{path}, Connection: engine.AllConnections, Modules: []conn.Module{lines}})
		if err != nil || lines.Flush() != nil {
			t.Fatal(err, lines.Flush())
		}
		got, want := map[string]sums{}, map[string]sums{}
		var far []string // ends that are not where the capture was made
		for i := range doc.Connections {
			c := &doc.Connections[i]
			for j := range c.Subflows {
				s := &c.Subflows[j]
				want[key(c.ID, s.ID, s.A)] = expected(s.A2B)
				want[key(c.ID, s.ID, s.B)] = expected(s.B2A)
				far = append(far, key(c.ID, s.ID, s.B))
			}
		}
		for i, r := range decoded(t, out.String()) {
			assert.Assert(t, r.Packet == uint64(i+1), "%s: line %d is of packet %d", name, i+1, r.Packet)
			if r.Kind == "mptcp" {
				count(got, &r)
			}
		}
		for _, end := range far { // the report has the whole round trip, a line what passes here
			a, b := want[end], got[end]
			a.samples, b.samples = 0, 0
			want[end], got[end] = a, b
		}
		assert.Check(t, is.DeepEqual(got, want, cmp.AllowUnexported(sums{})), "%s:", name)
	}
}

func key(id, sub int, end report.Endpoint) string {
	return fmt.Sprintf("%d %d %s:%d", id, sub, end.Addr, end.Port)
}

func expected(d *report.SubDir) sums {
	s := sums{segments: d.CapturedSegments, bytes: *d.Bytes}
	if d.RTT != nil {
		s.samples = d.RTT.Samples
	}
	return s
}

// count adds a line of Multipath TCP. A round-trip sample is of what the other end sent.
func count(got map[string]sums, r *packets.Record) {
	connection := fmt.Sprint(*r.Connection, " ", r.Subflow, " ")
	mine, theirs := got[connection+r.From], got[connection+r.To]
	if r.Length > 0 {
		mine.segments++
	}
	for _, d := range r.DSN {
		mine.bytes += d[1] - d[0]
	}
	if r.RTT != nil {
		theirs.samples++
	}
	got[connection+r.From], got[connection+r.To] = mine, theirs
}

// TestSYNsHaveTheirConnection: a SYN is written with the number that its
// connection gets from the answer.
func TestSYNsHaveTheirConnection(t *testing.T) {
	rows := strings.Split(written(t, filepath.Join(sessions, "v1/l-single-loss/client.pcap.zst"), packets.Options{}), "\n")
	f := strings.Split(rows[1], "\t")
	assert.Check(t, f[0] == "1" && f[3] == "mptcp" && f[4] == "0" && f[8] == "SYN", "the first line is %q", rows[1])
}

// TestColumns: each line has as many columns as the header, and nothing in a column breaks it.
func TestColumns(t *testing.T) {
	for _, o := range []packets.Options{every, {Connection: packets.AllConnections, EventLines: true}, {Connection: packets.AllConnections, Normalise: true}} {
		header, rest, _ := strings.Cut(written(t, filepath.Join(runs, "run1/server.pcap.zst"), o), "\n")
		for line := range strings.Lines(rest) {
			assert.Check(t, strings.Count(line, "\t") == strings.Count(header, "\t"), "%q: columns %s", line, header)
		}
	}
}
