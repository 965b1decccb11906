package plaintext_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
)

// TestWhyJSONHasItsSchema: what why --json prints of real sessions, of 200 connections and
// of nothing is what its schema says, no field more and none less.
func TestWhyJSONHasItsSchema(t *testing.T) {
	text, err := plaintext.WhySchema()
	if err != nil {
		t.Fatal(err)
	}
	value := func(b []byte) any {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("why.json", value(text)); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("why.json")
	if err != nil {
		t.Fatal(err)
	}
	documents := map[string]*report.Document{"nothing": {}, "three": verdicts(), "200": crowded(t)}
	sessions, _ := filepath.Glob("../../testdata/sessions/v1/[gj]*/client.pcap.zst")
	if len(sessions) == 0 {
		t.Error("no session")
	}
	for _, name := range sessions {
		if info, err := os.Stat(name); err != nil || info.Size() > 1<<20 {
			continue
		}
		d, err := engine.Analyze(context.Background(), engine.Options{Paths: []string{name}, Interval: 100 * time.Millisecond, Connection: engine.AllConnections})
		if err != nil {
			t.Fatal(err)
		}
		documents[name] = d
	}
	further := verdicts()
	further.Fairness = &report.Fairness{Paths: report.List[report.FairPath]{{Direction: report.A2B}}}
	further.Connections[0].B2A = &report.ConnDir{Streaming: &report.Streaming{Evidence: report.Observed}, SchedulerRegret: &report.SchedulerRegret{Evidence: report.SendOrder, Lost: report.Stat{Evidence: report.SendOrder}}}
	documents["further"] = further
	documents["overlay"] = verdicts()
	for name, d := range documents {
		var out bytes.Buffer
		options := plaintext.Options{}
		if name == "overlay" {
			options.Beside = findings
		}
		if err := plaintext.WhyJSON(&out, d, options); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value(out.Bytes())); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if schema.Validate(value([]byte(`{"summary": {}, "connections": [], "tcp": []}`))) == nil {
		t.Error("a summary without anything is what the schema says")
	}
}
