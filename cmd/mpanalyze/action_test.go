package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/testrun"
)

// action has what GitHub's metadata syntax allows in a composite action, as far as the action uses it:
// https://docs.github.com/actions/reference/metadata-syntax-reference
type action struct {
	Name, Description string
	Inputs            map[string]struct {
		Description, Default string
		Required             bool
	}
	Runs struct {
		Using string
		Steps []struct {
			Name, ID, Shell, Run string
			Env                  map[string]string
		}
	}
}

// TestAction runs the steps of the action as a runner does. Releases and programs print how they were called.
func TestAction(t *testing.T) {
	for _, program := range []string{"bash", "curl", "tar", "gzip"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	dir, err := filepath.Abs(filepath.Join(root, "packaging", "action"))
	assert.NilError(t, err)
	text, err := os.ReadFile(filepath.Join(dir, "action.yml"))
	assert.NilError(t, err)
	var a action
	strict := json.NewDecoder(bytes.NewReader(text)) // it is YAML in the form of JSON
	strict.DisallowUnknownFields()
	assert.NilError(t, strict.Decode(&a))
	for name := range a.Inputs {
		assert.Check(t, strings.Contains(string(text), "${{ inputs."+name+" "), "input %s is not used", name)
	}
	tmp := t.TempDir()
	put := func(name, text string) string {
		name = filepath.Join(tmp, name)
		assert.NilError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		assert.NilError(t, os.WriteFile(name, []byte(text), 0o755))
		return name
	}
	top := fmt.Sprintf("mpanalyze-1.2.3-%s-%s", runtime.GOOS, runtime.GOARCH)
	put(top+"/mpanalyze", "#!/bin/sh\necho release $*\n")
	packed, err := testrun.Command(t, "tar", "-cz", "-C", tmp, top).Output()
	assert.NilError(t, err)
	sum := fmt.Sprintf("%x", sha256.Sum256(packed))
	for version, sum := range map[string]string{"v1.2.3": sum, "v1.2.4": strings.Repeat("0", 64)} {
		name := strings.Replace(top, "1.2.3", version[1:], 1) + ".tar.gz"
		put("releases/"+version+"/"+name, string(packed))
		put("releases/"+version+"/SHA256SUMS", sum+"  "+name+"\n")
	}
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(tmp, "releases"))))
	defer server.Close()
	own := put("own/mpanalyze", "#!/bin/sh\necho own $*\n")
	put("bin/go", "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\nprintf '#!/bin/sh\\necho built $*\\n' >\"$2\" && chmod +x \"$2\"\n")
	for _, c := range []struct {
		program, version, sum, ref string
		want                       string // in what the steps print
	}{
		{version: "1.2.3", want: "release why x.pcap --fail-on critical\n"},
		{version: "1.2.3", sum: sum, want: "release why x.pcap"},
		{version: "1.2.3", sum: "0123", want: "and not 0123\n"},
		{version: "1.2.4", want: "and not 0000"},
		{version: "1.2.5", want: "has no release 1.2.5"},
		{ref: "v1.2.3", want: "release why x.pcap"},
		{ref: "v1.2.4", want: "and not 0000"},
		{ref: "v1.2.5", want: "built why x.pcap"},
		{ref: "main", want: "built why x.pcap"},
		{program: own, version: "1.2.4", want: "own why x.pcap"},
		{program: "not-there", want: "not-there is not installed"},
	} {
		values := map[string]string{
			"inputs.captures": "x.pcap", "inputs.verdicts": "critical", "inputs.program": c.program, "inputs.version": c.version, "inputs.sha256": c.sum,
			"inputs.releases": server.URL, "github.action_ref": c.ref,
		}
		assert.Check(t, is.Contains(runSteps(t, &a, dir, filepath.Join(tmp, "bin"), values), c.want), "%+v", c)
	}
}

// expression is what a runner puts a value for. What stands behind || is for an empty value.
var expression = regexp.MustCompile(`\$\{\{ (\S+)(?: \|\| .*)? \}\}`)

// runSteps runs the steps with values for expressions until one fails, and returns what they print.
func runSteps(t *testing.T, a *action, dir, path string, values map[string]string) (said string) {
	t.Helper()
	for _, step := range a.Runs.Steps {
		output := filepath.Join(t.TempDir(), "output")
		cmd := testrun.Command(t, step.Shell, "-e", "-o", "pipefail", "-c", step.Run)
		cmd.Env = append(os.Environ(), "PATH="+path+":"+os.Getenv("PATH"), "GITHUB_ACTION_PATH="+dir, "GITHUB_OUTPUT="+output, "GITHUB_ACTIONS=", "RUNNER_TEMP="+t.TempDir())
		for name, value := range step.Env {
			cmd.Env = append(cmd.Env, name+"="+expression.ReplaceAllStringFunc(value, func(s string) string { return values[expression.FindStringSubmatch(s)[1]] }))
		}
		text, err := cmd.CombinedOutput()
		said += string(text)
		if err != nil {
			break
		}
		text, _ = os.ReadFile(output)
		for line := range strings.Lines(string(text)) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			values["steps."+step.ID+".outputs."+name] = value
		}
	}
	return said
}
