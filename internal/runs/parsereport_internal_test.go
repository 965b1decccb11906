package runs

import (
	"fmt"
	"io"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/jsonreport"
	"mpanalyze/internal/report"
)

// FuzzReport: whatever a file holds, it is a report that can be written again, or it is refused.
func FuzzReport(f *testing.F) {
	for _, fields := range []string{
		`"connections": [{"id": 0, "a2b": {"bytes": 9223372036854775807}}]`, `"connections": [{"a2b": {"time_account": {"down": {"ms": 9223372036854775808}}}}]`,
		`"connections": [{"a2b": {"srtt_ms": {"avg": NaN}}}]`, `"clock": {"offset_ms": -1e300}`, `"captures": [{"packets": -1, "bytes": 1e400}]`,
	} {
		f.Add(fmt.Appendf(nil, `{"schema": %q, %s}`, report.SchemaName, fields))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := parseReport("x.json", text)
		if err != nil {
			return
		}
		assert.Check(t, jsonreport.Write(io.Discard, doc), "%q", text)
	})
}
