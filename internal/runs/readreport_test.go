package runs_test

import (
	"bytes"
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/jsonreport"
)

// TestImpossibleReports: a report with an impossible value is not accepted as a run, and
// the message names the value.
func TestImpossibleReports(t *testing.T) {
	dir := t.TempDir()
	capture := save(t, filepath.Join(dir, "x.pcap"), captureOf(t, 2000))
	doc, err := engine.Analyze(context.Background(), engine.Options{Paths: []string{capture}, Connection: engine.AllConnections})
	assert.NilError(t, err)
	var b bytes.Buffer
	assert.NilError(t, jsonreport.Write(&b, doc))
	for _, c := range []struct{ field, value, want string }{
		{"", "", ""},
		{"bytes", "-5", "bytes is -5, which no capture gives"},
		{"retransmitted_segments", "-1", "retransmitted_segments is -1"},
		{"avg", "1e308", ".avg is 1e+308"},
		{"avg", "-1e300", ".avg is -1e+300"},
		{"stddev", "-0.5", ".stddev is -0.5"},
		{"share_percent", "-3", "share_percent is -3"},
		{"avg", "1e999", "not a report"},
		{"avg", "NaN", "no valid JSON"},
		{"avg", "-Infinity", "no valid JSON"},
		{"bytes", "9223372036854775807", "bytes is 9.223372036854776e+18"},
		{"bytes", "9223372036854775808", "not a report"},
		{"ms", "9223372036854775808", "time_account."}, // nanoseconds in 63 bits are a millionth of it
		{"ms", "9223372036854775808", ".ms is 9.223372036854776e+18"},
		{"avg", "9223372036855", ".avg is 9.223372036855e+12"}, // of a delay in ms
	} {
		text := b.String()
		if c.field != "" {
			// The first in the list of connections.
			at := strings.Index(text, `"connections":`)
			field := regexp.MustCompile(`"` + c.field + `": -?[0-9][0-9.e+-]*`).FindStringIndex(text[at:])
			assert.Assert(t, field != nil, "the report has no %s", c.field)
			text = text[:at+field[0]] + `"` + c.field + `": ` + c.value + text[at+field[1]:]
		}
		if file := save(t, filepath.Join(dir, "x.json"), []byte(text)); c.want == "" {
			analyzed(t, optionsOf(runOf("1", file)))
		} else {
			refused(t, file, c.want)
		}
	}
}
