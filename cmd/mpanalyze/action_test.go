package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"mpanalyze/internal/testrun"
)

// actionSchema has the rules of GitHub's metadata syntax for composite actions, as far as the
// action uses them: https://docs.github.com/actions/reference/metadata-syntax-reference
const actionSchema = `{
 "type": "object", "additionalProperties": false, "required": ["name", "description", "runs"],
 "properties": {
  "name": {"type": "string", "minLength": 1}, "author": {"type": "string"}, "description": {"type": "string", "minLength": 1},
  "inputs": {
   "type": "object", "propertyNames": {"pattern": "^[A-Za-z_][A-Za-z0-9_-]*$"},
   "additionalProperties": {
    "type": "object", "additionalProperties": false, "required": ["description"],
    "properties": {"description": {"type": "string"}, "required": {"type": "boolean"}, "default": {"type": "string"}, "deprecationMessage": {"type": "string"}}
   }
  },
  "runs": {
   "type": "object", "additionalProperties": false, "required": ["using", "steps"],
   "properties": {
    "using": {"const": "composite"},
    "steps": {
     "type": "array", "minItems": 1,
     "items": {
      "type": "object", "additionalProperties": false, "required": ["run", "shell"],
      "properties": {
       "name": {"type": "string"}, "id": {"type": "string"}, "if": {"type": "string"}, "run": {"type": "string"}, "shell": {"type": "string"},
       "working-directory": {"type": "string"}, "env": {"type": "object", "additionalProperties": {"type": "string"}}
      }
     }
    }
   }
  }
 }
}`

const actionDir = root + "/packaging/action"

// TestActionIsValid checks the action, which is YAML in the form of JSON, against the schema. Each
// input is used, and what is used is an input.
func TestActionIsValid(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(actionDir, "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := jsonschema.UnmarshalJSON(strings.NewReader(actionSchema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("action.json", rules); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("action.json")
	if err != nil {
		t.Fatal(err)
	}
	action, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(action); err != nil {
		t.Fatal(err)
	}
	inputs := action.(map[string]any)["inputs"].(map[string]any)
	for name := range inputs {
		if !strings.Contains(string(text), "${{ inputs."+name+" }}") {
			t.Errorf("input %s is not used", name)
		}
	}
	if n := strings.Count(string(text), "${{ inputs."); n != len(inputs) {
		t.Errorf("%d inputs, and %d uses", len(inputs), n)
	}
}

// TestActionJudges runs what the action runs, on a download of 14.6 MB with the verdict path_died.
func TestActionJudges(t *testing.T) {
	dir, env := workshop(t)
	script, err := filepath.Abs(filepath.Join(actionDir, "judge.sh"))
	if err != nil {
		t.Fatal(err)
	}
	judge := func(set ...string) (string, bool) {
		cmd := testrun.Command(t, "sh", script)
		cmd.Dir, cmd.Env = dir, append(slices.Clone(env), append(set, "MPANALYZE="+filepath.Join(dir, "bin", "mpanalyze"))...)
		out, err := cmd.CombinedOutput()
		return string(out), err == nil
	}
	capture := "CAPTURES=session.pcap.zst\n"
	if out, err := testrun.Command(t, "sh", "-c", "exit 0").CombinedOutput(); err != nil {
		t.Skipf("no shell: %v %s", err, out)
	}
	for _, c := range []struct {
		set    []string
		passes bool
		said   string
	}{
		{[]string{capture}, false, "nothing to check"},
		{[]string{"FAIL_ON=bytes < 1"}, false, "no captures"},
		{[]string{capture, "FAIL_ON=bytes < 1MB\n\nb2a.bytes > 1GB\n"}, true, ""},
		{[]string{capture, "FAIL_ON=bytes < 1MB\nb2a.bytes > 1MB", "JUNIT=junit", "GITHUB_STEP_SUMMARY=summary.md", "GITHUB_ACTIONS=true"}, false, "::error file=session.pcap.zst,title=b2a.bytes > 1MB::"},
		{[]string{capture, "VERDICTS=path_died"}, false, "found path_died"},
		{[]string{capture, "VERDICTS=checksum_failed"}, true, ""},
		{[]string{capture, "GOLDEN=."}, false, "session.json: no such file"},
	} {
		out, passed := judge(c.set...)
		if passed != c.passes || !strings.Contains(out, c.said) {
			t.Errorf("%q: passed %v, want %v\n%s", c.set, passed, c.passes, out)
		}
	}
	for _, name := range []string{"junit/session.pcap.zst.limits.xml", "summary.md"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(text), "session.pcap.zst") {
			t.Errorf("%s: %v, %s", name, err, text)
		}
	}
}
