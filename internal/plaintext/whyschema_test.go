package plaintext_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	goldenfile "gotest.tools/v3/golden"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/reporttest"
	"mpanalyze/internal/schemas"
)

// TestWhyJSONHasItsSchema: what why --json prints of real sessions, of 200 connections and
// of nothing is what its schema says, no field more and none less.
func TestWhyJSONHasItsSchema(t *testing.T) {
	schema := reporttest.Schema(t, schemas.Of("why"))
	documents := map[string]*report.Document{"nothing": {}, "three": verdicts(), "200": crowded(t)}
	sessions, _ := filepath.Glob("../../testdata/sessions/v1/[gj]*/client.pcap.zst")
	assert.Check(t, len(sessions) != 0, "no session")
	for _, name := range sessions {
		if info, err := os.Stat(name); err != nil || info.Size() > 1<<20 {
			continue
		}
		d, err := engine.Analyze(context.Background(), engine.Options{Paths: []string{name}, Interval: 100 * time.Millisecond, Connection: engine.AllConnections})
		assert.NilError(t, err)
		documents[name] = d
	}
	further := verdicts()
	further.Fairness = &report.Fairness{Paths: report.List[report.FairPath]{{Direction: report.A2B}}}
	further.Connections[0].B2A = &report.ConnDir{Streaming: &report.Streaming{Evidence: report.Observed}, SchedulerRegret: &report.SchedulerRegret{Evidence: report.SendOrder, Lost: report.Stat{Evidence: report.SendOrder}}}
	documents["further"] = further
	for name, d := range documents {
		var out bytes.Buffer
		assert.NilError(t, plaintext.WhyJSON(&out, d))
		assert.Check(t, schema.Validate(reporttest.JSON(t, out.Bytes())), "%s", name)
	}
	if schema.Validate(reporttest.JSON(t, []byte(`{"summary": {}, "connections": [], "tcp": []}`))) == nil {
		t.Error("a summary without anything is what the schema says")
	}
}

// TestSchemaIsCurrent copies the types of the report to which why.source.json refers from the schema
// of the report.
func TestSchemaIsCurrent(t *testing.T) {
	source, err := os.ReadFile("why.source.json")
	assert.NilError(t, err)
	var whole struct {
		Defs map[string]json.RawMessage `json:"$defs"`
	}
	var out map[string]any
	assert.NilError(t, json.Unmarshal(schemas.Of("report"), &whole))
	assert.NilError(t, json.Unmarshal(source, &out))
	defs := out["$defs"].(map[string]any)
	reference := regexp.MustCompile(`"\$ref":\s*"#/\$defs/(\w+)"`)
	for open := reference.FindAllSubmatch(source, -1); len(open) > 0; open = open[1:] {
		name := string(open[0][1])
		if defs[name] != nil {
			continue
		}
		if whole.Defs[name] == nil {
			t.Fatalf("the schema of reports has no %s", name)
		}
		defs[name] = whole.Defs[name]
		open = append(open, reference.FindAllSubmatch(whole.Defs[name], -1)...)
	}
	var want bytes.Buffer
	assert.NilError(t, report.WriteIndented(&want, out, "", "  "))
	if bytes.Equal(want.Bytes(), schemas.Of("why")) {
		return
	}
	assert.Assert(t, goldenfile.FlagUpdate(), "schemas/why.json is not what why.source.json and the schema of reports say: run go generate ./internal/schemas")
	assert.NilError(t, os.WriteFile("../schemas/why.json", want.Bytes(), 0o666))
	t.Error("schemas/why.json written anew")
}
