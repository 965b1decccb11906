package packets_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"mpanalyze/internal/packets"
)

// TestJSONIsStandard: lines of JSON that are read into a record and written by encoding/json are
// the same lines, and have no field that a record has not.
func TestJSONIsStandard(t *testing.T) {
	for _, name := range []string{
		"v1/f-handover/client.pcap.zst", "v1/l-spurious/server.pcap.zst", "v1/i-v6-v4/client.pcap.zst", "v1/k-short-bursts/client.pcap.zst",
		"v1/j-plain-server/client.pcap.zst", "v1/j-strip-synack/client.pcap.zst", "v0/abort/client.pcap.zst",
	} {
		for _, o := range []packets.Options{{}, {Normalise: true}, {EventLines: true}, {EventLines: true, Normalise: true}} {
			o.JSON, o.Connection = true, packets.AllConnections
			text := written(t, filepath.Join(sessions, name), o)
			if text == "" && !o.EventLines {
				t.Errorf("%s: no line", name)
			}
			for line := range strings.Lines(text) {
				var v any = new(packets.Record)
				if o.EventLines {
					v = new(packets.EventLine)
				}
				again(t, name, line, v)
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
	if err != nil || out.String() != line {
		t.Fatalf("%s: error %v\n got %s\nwant %s", name, err, line, &out)
	}
}
