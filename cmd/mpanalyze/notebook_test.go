package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/testrun"
)

// analysisPlace is a directory like docs/, with the captures where its examples expect them.
func analysisPlace(t *testing.T, file string) (dir string, env []string) {
	t.Helper()
	place, env := workshop(t)
	dir = filepath.Join(place, "docs")
	text, err := os.ReadFile(filepath.Join(root, "docs", file))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, file), text, 0o666)
	}
	assert.NilError(t, err)
	return dir, env
}

// delays returns the table that the examples print: for each scenario the runs, their mean
// protocol delay, and the standard deviation of the sample.
func delays(t *testing.T, dir string, env []string) string {
	t.Helper()
	cmd := testrun.Command(t, filepath.Join(dir, "..", "bin", "mpanalyze"), "compare", "--no-cache", "--values", "-",
		"--pattern", "../testdata/sessions/campaign/{scenario}/run{run}/client.pcap.zst")
	cmd.Dir, cmd.Env = dir, env
	text, err := cmd.Output()
	assert.NilError(t, err)
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	assert.NilError(t, err)
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	runs := map[string][]float64{}
	for _, row := range rows[1:] {
		if row[column["direction"]] == "b2a" && row[column["path"]] == "" && row[column["metric"]] == "protocol_delay_ms.avg" {
			v, err := strconv.ParseFloat(row[column["value"]], 64)
			assert.NilError(t, err)
			runs[row[column["scenario"]]] = append(runs[row[column["scenario"]]], v)
		}
	}
	var table strings.Builder
	table.WriteString("scenario,runs,mean,sd\n")
	for _, name := range slices.Sorted(maps.Keys(runs)) {
		sum, squares, n := 0.0, 0.0, float64(len(runs[name]))
		for _, v := range runs[name] {
			sum += v
		}
		for _, v := range runs[name] {
			squares += (v - sum/n) * (v - sum/n)
		}
		fmt.Fprintf(&table, "%s,%d,%.3f,%.3f\n", name, len(runs[name]), sum/n, math.Sqrt(squares/(n-1)))
	}
	return table.String()
}

// drew holds that a figure was drawn.
func drew(t *testing.T, name string) {
	t.Helper()
	text, err := os.ReadFile(name)
	assert.Check(t, err == nil && len(text) >= 1000 && strings.Contains(string(text), "</svg>"), "%s: %d bytes, %v", name, len(text), err)
}

// TestR runs the example in R, where that is installed.
func TestR(t *testing.T) {
	if _, err := exec.LookPath("Rscript"); err != nil {
		t.Skip("Rscript is not installed")
	}
	dir, env := analysisPlace(t, "campaign.R")
	cmd := testrun.Command(t, "Rscript", "--vanilla", "campaign.R")
	cmd.Dir, cmd.Env, cmd.Stderr = dir, env, os.Stderr
	text, err := cmd.Output()
	assert.NilError(t, err)
	want := delays(t, dir, env)
	assert.Check(t, string(text) == want, "R says\n%swant\n%s", text, want)
	drew(t, filepath.Join(dir, "campaign-r.svg"))
}

// runNotebook runs a notebook and prints what it then is.
const runNotebook = `
import nbclient, nbformat, sys
notebook = nbformat.read("campaign.ipynb", as_version=4)
nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
nbformat.write(notebook, sys.stdout)
`

// notebook is what the test needs of a notebook.
type notebook struct {
	Cells []struct {
		Outputs []struct {
			Name string
			Text any // a text, its lines, or nothing
		}
	}
}

// printed returns what the cells of a notebook printed.
func printed(t *testing.T, text []byte) (all string) {
	t.Helper()
	var n notebook
	assert.NilError(t, json.Unmarshal(text, &n))
	for _, c := range n.Cells {
		for _, o := range c.Outputs {
			switch text := o.Text.(type) {
			case string:
				all += text
			case []any:
				for _, line := range text {
					all += fmt.Sprint(line)
				}
			}
		}
	}
	return all
}

// TestNotebook runs the example in pandas, where what it needs is installed: it prints what
// is stored in it.
func TestNotebook(t *testing.T) {
	dir, env := analysisPlace(t, "campaign.ipynb")
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	for _, name := range []string{"nbclient", "nbformat", "ipykernel", "pandas", "pyarrow", "matplotlib"} {
		if !hasModule(t, name, env) {
			t.Skip("Python has no module " + name)
		}
	}
	stored, err := os.ReadFile(filepath.Join(dir, "campaign.ipynb"))
	assert.NilError(t, err)
	cmd := testrun.Command(t, "python3", "-c", runNotebook)
	cmd.Dir, cmd.Env = dir, env
	var said strings.Builder
	cmd.Stderr = &said
	text, err := cmd.Output()
	assert.Assert(t, err == nil, "%v\n%s", err, &said)
	got := printed(t, text)
	want := delays(t, dir, env)
	assert.Check(t, strings.HasSuffix(got, "\n"+want), "the notebook prints\n%swant at the end\n%s", got, want)
	was := printed(t, stored)
	assert.Check(t, got == was, "the notebook prints\n%sand has stored\n%s", got, was)
	drew(t, filepath.Join(dir, "campaign-pandas.svg"))
}
