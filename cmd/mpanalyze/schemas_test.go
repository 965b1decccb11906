package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report/reporttest"
	"mpanalyze/internal/testrun"
)

// TestOutputsFitSchemas: what commands write as JSON fits the schema that explain prints for it.
func TestOutputsFitSchemas(t *testing.T) {
	const client, server = "../../testdata/sessions/v1/l-single-loss/client.pcap.zst", "../../testdata/sessions/v1/l-single-loss/server.pcap.zst"
	run := func(input string, args ...string) []byte {
		cmd := testrun.Command(t, os.Args[0], args...)
		cmd.Env, cmd.Stdin = append(os.Environ(), asProgram+"=1"), strings.NewReader(input)
		out, err := cmd.Output()
		if code := cmd.ProcessState.ExitCode(); code != 0 && code != 3 { // 3: diff found differences
			t.Fatalf("mpanalyze %q: %v", args, err)
		}
		return out
	}
	for name, c := range map[string]struct {
		input string
		args  []string
	}{
		"why":      {"", []string{"why", client, "--json"}},
		"explain":  {"", []string{"explain", "--json"}},
		"counters": {"", []string{"counters", client, "--host", "client", "--json"}},
		"diff":     {"", []string{"diff", client, server, "--json"}},
		"task":     {client + "\n", []string{"task", "-", "x=" + client}},
	} {
		schema := reporttest.Schema(t, run("", "explain", "--schema", name))
		document := reporttest.JSON(t, bytes.TrimSpace(run(c.input, c.args...)))
		assert.Check(t, schema.Validate(document), "%s", name)
		assert.Check(t, document.(map[string]any)["schema"] != nil, "%s has no schema", name)
	}
}
