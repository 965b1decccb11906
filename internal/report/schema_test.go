package report_test

import (
	"encoding/json"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
	"mpanalyze/internal/report/reporttest"
	"mpanalyze/internal/schemas"
)

func TestSchemaAccepts(t *testing.T) {
	schema := reporttest.Schema(t, schemas.Of("report"))
	for name, doc := range map[string]*report.Document{
		"empty":  {Schema: report.SchemaName},
		"sample": sample(),
	} {
		text, err := json.Marshal(doc)
		assert.NilError(t, err)
		assert.Check(t, schema.Validate(reporttest.JSON(t, text)), "%s", name)
	}
}

// TestSchemaRefuses changes one thing of a valid document at a time.
func TestSchemaRefuses(t *testing.T) {
	schema := reporttest.Schema(t, schemas.Of("report"))
	for _, c := range []struct{ name, old, new string }{
		{"another schema", `"mpanalyze/1"`, `"mpanalyze/2"`},
		{"a time that is none", `"2026-01-02T03:04:05.000000006Z"`, `"yesterday"`},
		{"an unknown vantage", `"vantage":"a"`, `"vantage":"c"`},
		{"a number as text", `"version":1`, `"version":"1"`},
		{"a missing field", `"checksum":false,`, ``},
		{"null for a count", `"pure_acks":0`, `"pure_acks":null`},
		{"a reason that is no text", `"not judged"`, `1`},
		{"half a byte", `"pure_acks":0`, `"pure_acks":0.5`},
	} {
		text, err := json.Marshal(sample())
		assert.NilError(t, err)
		assert.Assert(t, strings.Contains(string(text), c.old), "%s: the sample has no %s", c.name, c.old)
		assert.Check(t, schema.Validate(reporttest.JSON(t, []byte(strings.Replace(string(text), c.old, c.new, 1)))) != nil, "%s: accepted", c.name)
	}
}
