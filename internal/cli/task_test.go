package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mpanalyze/internal/cli"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/results"
	"mpanalyze/internal/testrun"
)

// documents runs compare and returns all that it writes: tables, JSON, CSV, values, the page and
// what it says, and its exit status.
func documents(t *testing.T, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	var all strings.Builder
	args = append([]string{"compare", "--no-cache", "--digits", "6"}, args...)
	files := []string{"json", "csv", "values", "markdown", "latex", "html"}
	for _, f := range files {
		args = append(args, fmt.Sprintf("--%s=%s", f, filepath.Join(dir, f)))
	}
	code, out, errs := trueProgram(args...)
	fmt.Fprintf(&all, "status %d\n%s%s", code, out, errs)
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(dir, f))
		if err != nil {
			t.Fatalf("%v: %s", err, errs)
		}
		fmt.Fprintf(&all, "---- %s\n%s", f, text)
	}
	return all.String()
}

// equal fails with the first line in which two documents differ.
func equal(t *testing.T, got, want string) {
	t.Helper()
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Fatalf("line %d is\n%.300s\nand of the captures themselves\n%.300s", i+1, a[i], b[i])
		}
	}
	if len(a) != len(b) {
		t.Fatalf("%d lines, of the captures themselves %d", len(a), len(b))
	}
}

// taskOf runs task and returns its last line.
func taskOf(t *testing.T, want cli.ExitCode, args ...string) string {
	t.Helper()
	code, out, errs := trueProgram(append([]string{"task"}, args...)...)
	if code != want {
		t.Fatalf("figures %v: status %d, want %d: %s", args, code, want, errs)
	}
	return strings.TrimSpace(string(out))
}

// brokenCampaign copies the bundled campaign and adds four captures that cannot be used.
func brokenCampaign(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(sessions, "campaign"))); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(dir, "lia", "run1", "client.pcap.zst"))
	if err != nil {
		t.Fatal(err)
	}
	for i, content := range [][]byte{whole[:len(whole)/2], []byte("notes\n"), nil} {
		for _, host := range []string{"client", "server"} {
			file := filepath.Join(dir, "lia", fmt.Sprint("run", 3+i), host+".pcap.zst")
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// TestResultsAreTheCampaign: the documents of compare --results equal those of compare on the
// captures, byte for byte, for parts of one host, of both, with runs that cannot be used, with a
// baseline and with paths alone.
func TestResultsAreTheCampaign(t *testing.T) {
	dir := brokenCampaign(t)
	of := func(name string) string { return filepath.Join(dir, name) }
	v1 := func(name string) string { return filepath.Join(sessions, "v1", name, "client.pcap.zst") }
	cases := map[string]struct {
		runs, table []string
		status      cli.ExitCode
	}{
		"client":  {[]string{"--pattern", of("{scenario}/run{run}/client.pcap.zst")}, nil, cli.ExitDamaged},
		"pairs":   {[]string{"--pattern", of("{scenario}/run{run}/{host}.pcap.zst"), "--interval", "50ms"}, nil, cli.ExitDamaged},
		"factors": {[]string{"--pattern", of("{cc}/run{run}/client.pcap.zst"), "--metrics", "basic"}, []string{"--metric", "bytes"}, cli.ExitDamaged},
		"baseline": {
			[]string{"x=" + v1("l-single-loss") + "," + v1("f-handover"), "--baseline", "x=" + v1("l-spurious"), "--single", "p=" + v1("j-plain-server"), "--single", "q=" + v1("j-strip-synack")},
			[]string{"--metric", "bytes"},
			cli.ExitOK,
		},
	}
	if testrun.All() {
		if runs := campaignRuns(t); len(runs) > 0 {
			cases["shared"] = struct {
				runs, table []string
				status      cli.ExitCode
			}{runs, []string{"--table", "qoe24"}, cli.ExitOK}
		}
	} else {
		t.Logf("the shared campaign is left out; %s=all takes it, too", testrun.Variable)
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			for _, part := range []string{"1/3", "3/3", "2/3", "2/3"} {
				trueProgram(slices.Concat([]string{"task", "--shard", part, "--output", out}, c.runs)...)
			}
			again := taskOf(t, c.status, slices.Concat([]string{"--output", out}, c.runs)...)
			if !strings.Contains(again, ": 0 analysed, ") {
				t.Errorf("after all parts: %s", again)
			}
			equal(t, documents(t, append(c.table, "--results", out)...), documents(t, slices.Concat(c.table, c.runs)...))
		})
	}
}

// campaignRuns returns the scenarios of the campaign beside the repository as arguments, or
// nothing where it is absent.
func campaignRuns(t *testing.T) (args []string) {
	t.Helper()
	for _, cc := range []string{"balia", "bbr", "cubic", "lia", "olia", "reno", "wvegas"} {
		var names []string
		for k := 1; k <= 5; k++ {
			names = append(names, fmt.Sprintf("campaign/%s/run%d/client.pcap.zst", cc, k))
		}
		if runs := testrun.SharedFiles(t, names...); len(runs) > 0 {
			args = append(args, cc+"="+strings.Join(runs, ","))
		}
	}
	return args
}

// pipeTask runs task --stdin.
func pipeTask(in string, args ...string) (cli.ExitCode, []byte, string) {
	var o, e bytes.Buffer
	code := cli.Main(append([]string{"task", "--stdin"}, args...), cli.Streams{In: strings.NewReader(in), Out: &o, Err: &e, Getenv: os.Getenv},
		cli.Engine{Analyze: engine.Analyze}, "v0-test")
	return code, o.Bytes(), e.String()
}

// TestTaskOfLines: --stdin answers with the results that --output writes, in the order of the
// lines. A run with two answers counts once.
func TestTaskOfLines(t *testing.T) {
	dir := brokenCampaign(t)
	pattern := filepath.Join(dir, "{scenario}", "run{run}", "client.pcap.zst")
	var paths []string
	for _, run := range []string{"olia/run2", "lia/run1", "lia/run4", "olia/run1", "lia/run2", "lia/run3", "lia/run5", "olia/run1"} {
		paths = append(paths, filepath.Join(dir, run, "client.pcap.zst"))
	}
	code, lines, errs := pipeTask(strings.Join(paths, "\n")+"\n\n", "--pattern", pattern, "--jobs", "3")
	if code != cli.ExitDamaged {
		t.Fatalf("status %d: %s", code, errs)
	}
	file := filepath.Join(t.TempDir(), "results.jsonl")
	if err := os.WriteFile(file, lines, 0o644); err != nil {
		t.Fatal(err)
	}
	for i, line := range bytes.Split(bytes.TrimSpace(lines), []byte{'\n'}) {
		var r results.Result
		if err := json.Unmarshal(line, &r); err != nil || r.Input.Files[0] != paths[i] {
			t.Errorf("line %d: %v, of %v", i+1, err, r.Input.Files)
		}
	}
	equal(t, documents(t, "--results", file), documents(t, "--pattern", pattern))
	if code, _, errs := pipeTask("elsewhere.pcap\n", "--pattern", pattern); code != cli.ExitFailed || !strings.Contains(errs, "elsewhere.pcap: is a file of no run in the list") {
		t.Errorf("a path outside of the list: status %d, %s", code, errs)
	}
	code, lines, errs = pipeTask(strings.Join(paths[:2], "\n"))
	if code != cli.ExitOK || bytes.Count(lines, []byte{'\n'}) != 2 || !bytes.Contains(lines, []byte(`"scenario":"runs"`)) {
		t.Errorf("without a list: status %d, %s", code, errs)
	}
}

// TestTaskOfLinesAreKept: with --output, results that are in the directory are used again, and
// new ones are written there. All equal those of --outputput alone.
func TestTaskOfLinesAreKept(t *testing.T) {
	dir := brokenCampaign(t)
	runs := []string{"--pattern", filepath.Join(dir, "{scenario}", "run{run}", "client.pcap.zst")}
	var paths []string
	for _, run := range []string{"olia/run2", "lia/run1", "lia/run4", "olia/run1", "lia/run2", "lia/run3", "lia/run5"} {
		paths = append(paths, filepath.Join(dir, run, "client.pcap.zst"))
	}
	out := filepath.Join(t.TempDir(), "results")
	ask := func(want string, paths []string) []byte {
		t.Helper()
		code, lines, errs := pipeTask(strings.Join(paths, "\n"), append(runs, "--output", out)...)
		if code != cli.ExitDamaged || errs != "mpanalyze: "+want+"\n" {
			t.Errorf("status %d, %q, want %q", code, errs, want)
		}
		return lines
	}
	// A capture that cannot be used was read, so it counts as analysed, too.
	first := ask("3 runs: 3 analysed, 0 done before, 1 skipped", paths[:3])
	all := ask("7 runs: 4 analysed, 3 done before, 3 skipped", paths)
	if !bytes.HasPrefix(all, first) || !bytes.Equal(ask("7 runs: 0 analysed, 7 done before, 3 skipped", paths), all) {
		t.Error("results that are kept are not those that were made")
	}
	alone := filepath.Join(t.TempDir(), "results")
	taskOf(t, cli.ExitDamaged, append(runs, "--output", alone)...)
	equal(t, documents(t, "--results", out), documents(t, "--results", alone))
	if said := taskOf(t, cli.ExitDamaged, append(runs, "--output", out)...); said != "7 runs: 0 analysed, 7 done before, 3 skipped" {
		t.Errorf("--output alone finds %s", said)
	}
	unlisted := filepath.Join(t.TempDir(), "results")
	for _, want := range []string{"1 run: 1 analysed, 0 done before, 0 skipped", "1 run: 0 analysed, 1 done before, 0 skipped"} {
		if code, _, errs := pipeTask(paths[0], "--output", unlisted); code != cli.ExitOK || errs != "mpanalyze: "+want+"\n" {
			t.Errorf("without a list: status %d, %q, want %q", code, errs, want)
		}
	}
}

// TestLineOfSeveralRuns: a path that does not tell which run is meant is refused.
func TestLineOfSeveralRuns(t *testing.T) {
	capture := filepath.Join(sessions, "v1", "l-single-loss", "client.pcap.zst")
	code, lines, errs := pipeTask(capture, "x="+capture, "y="+capture)
	if code != cli.ExitFailed || len(lines) > 0 || !strings.Contains(errs, "client.pcap.zst: is a file of several runs in the list") {
		t.Errorf("status %d, %s", code, errs)
	}
}

// TestResultsAreRefused: results that do not belong together are refused, and captures that
// changed are analysed again.
func TestResultsAreRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(sessions, "campaign"))); err != nil {
		t.Fatal(err)
	}
	pattern := func(scenario string) string { return filepath.Join(dir, scenario, "run{run}", "client.pcap.zst") }
	all := pattern("{scenario}")
	out := filepath.Join(t.TempDir(), "results")
	refuse := func(want string, args ...string) {
		t.Helper()
		code, text, errs := trueProgram(append([]string{"compare", "--results", out}, args...)...)
		if code != cli.ExitFailed || len(text) > 0 || !strings.Contains(errs, want) {
			t.Errorf("status %d, %q, want an error that says %q", code, errs, want)
		}
	}
	refuse("no such file")
	taskOf(t, cli.ExitOK, "--pattern", all, "--output", out, "--shard", "2/3")
	refuse("3 of 4 runs have no result: number 1, 3-4 of the list; run mpanalyze task again")
	code, _, errs := trueProgram("compare", "--results", out, "--incomplete")
	if code != cli.ExitDamaged || !strings.Contains(errs, "skipped 3 of 4 runs") || !strings.Contains(errs, "number 3 of the 4 runs: has no result yet") {
		t.Errorf("--incomplete: status %d, %s", code, errs)
	}
	taskOf(t, cli.ExitOK, "--pattern", all, "--output", out)
	refuse("--evidence-dir beside --results", "--evidence-dir", ".")
	refuse("beside --results: want one or the other", "x=y.pcap")
	refuse("--interval 50ms: results were made with 100ms", "--interval", "50ms")
	refuse("--vantage b: results were made with none", "--vantage", "b")
	refuse("--end receiver: results were made with sender", "--end", "receiver")

	// Other options: two of four results.
	taskOf(t, cli.ExitOK, "--pattern", all, "--output", out, "--shard", "1/2", "--interval", "50ms")
	refuse("runs differ in interval: 100ms (lia 2, olia 2) and 50ms (lia 1, olia 1)")
	if code, _, errs := trueProgram("compare", "--results", out, "--mix-options"); code != cli.ExitOK || !strings.Contains(errs, "runs differ in interval") {
		t.Errorf("--mix-options: status %d, %s", code, errs)
	}
	if said := taskOf(t, cli.ExitOK, "--pattern", all, "--output", out); said != "4 runs: 2 analysed, 2 done before, 0 skipped" {
		t.Errorf("the options of before: %s", said)
	}

	// Another connection, another bound of memory.
	taskOf(t, cli.ExitOK, "--pattern", all, "--output", out, "--shard", "1/4", "--max-memory", "2GiB")
	refuse("results differ in --max-memory: 2GiB (1 results as ")
	taskOf(t, cli.ExitOK, "--pattern", all, "--output", out)

	// Another build of the program.
	file, err := filepath.Glob(filepath.Join(out, "lia.1.*.json"))
	if err != nil || len(file) != 1 {
		t.Fatal(file, err)
	}
	r := results.Load(file[0])
	r.Program = "v9"
	text, err := r.Append(nil)
	if err = errors.Join(err, os.WriteFile(file[0], text, 0o644)); err != nil {
		t.Fatal(err)
	}
	refuse("results differ in build of the program: v0-test (3 results as")

	// A digit that was changed.
	if err := os.WriteFile(file[0], bytes.Replace(text, []byte(`"v9"`), []byte(`"v8"`), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	refuse(file[0] + ": result 1 was changed since it was written")
	if said := taskOf(t, cli.ExitOK, "--pattern", all, "--output", out); said != "4 runs: 1 analysed, 3 done before, 0 skipped" {
		t.Errorf("a result that cannot be read: %s", said)
	}

	// A capture that changed, and one that was only copied.
	touch := func(run string) {
		file := filepath.Join(dir, run, "client.pcap.zst")
		if err := os.Chtimes(file, time.Time{}, time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	touch("lia/run2")
	if said := taskOf(t, cli.ExitOK, "--pattern", all, "--output", out); said != "4 runs: 0 analysed, 4 done before, 0 skipped" {
		t.Errorf("a copied capture: %s", said)
	}
	other, err := os.ReadFile(filepath.Join(dir, "olia", "run1", "client.pcap.zst"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "lia", "run1", "client.pcap.zst"), other, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if said := taskOf(t, cli.ExitOK, "--pattern", all, "--output", out); said != "4 runs: 1 analysed, 3 done before, 0 skipped" {
		t.Errorf("a changed capture: %s", said)
	}
	if _, _, errs := trueProgram("compare", "--results", out); !strings.Contains(errs, "lia 1 and olia 1 are the same capture: they are no two runs") {
		t.Errorf("equal content is not reported: %s", errs)
	}

	// A shorter list beside the results of a longer one.
	taskOf(t, cli.ExitOK, "--pattern", pattern("li{scenario}"), "--output", out)
	refuse("different lists of runs: ")
}

// TestBytesOfManifest: a capture that was cut between two packets is found by its length, and is
// skipped by figures and compare alike.
func TestBytesOfManifest(t *testing.T) {
	dir := t.TempDir()
	whole, err := os.ReadFile(filepath.Join(sessions, "v1", "l-single-loss", "client.pcap.zst"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "a.pcap.zst"), whole, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	manifest := filepath.Join(dir, "runs.csv")
	for _, c := range []struct {
		bytes, says string
		code        cli.ExitCode
	}{
		{fmt.Sprint(len(whole)), "", cli.ExitOK},
		{"", "", cli.ExitOK},
		{fmt.Sprint(len(whole) + 1), fmt.Sprintf("a.pcap.zst: is cut: it has %d bytes, the manifest says %d", len(whole), len(whole)+1), cli.ExitFailed},
		{"24", "is not the file of the manifest", cli.ExitFailed},
		{"24;24", `line 2: bytes "24;24": has 2 lengths for 1 files`, cli.ExitFailed},
		{"many", `bytes "many": want the length of each file`, cli.ExitFailed},
	} {
		if err := os.WriteFile(manifest, []byte("scenario,run,files,bytes\nx,1,a.pcap.zst,"+c.bytes+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		code, _, errs := trueProgram("compare", "--no-cache", "--manifest", manifest)
		if code != c.code || !strings.Contains(errs, c.says) {
			t.Errorf("%s: status %d, %s", c.bytes, code, errs)
		}
		out := filepath.Join(t.TempDir(), "results")
		figures, _, said := trueProgram("task", "--manifest", manifest, "--output", out)
		if strings.Contains(c.says, "is ") { // left out, for which figures has its status
			if figures != cli.ExitDamaged {
				t.Errorf("%s: figures has status %d, %s", c.bytes, figures, said)
			}
			_, _, said = trueProgram("compare", "--results", out)
		} else if figures != code {
			t.Errorf("%s: figures has status %d, compare %d", c.bytes, figures, code)
		}
		if !strings.Contains(said, c.says) {
			t.Errorf("%s: results say %s", c.bytes, said)
		}
	}
}

// TestSomeResults: --manifest beside --results takes the runs of that list, task --prune names the files of
// all others, and files that compare --out wrote are read as the results that they are made of.
func TestSomeResults(t *testing.T) {
	dir, out := brokenCampaign(t), t.TempDir()
	write := func(name string, runs ...string) string {
		var lines strings.Builder
		lines.WriteString("scenario,run,files\n")
		for _, r := range runs {
			scenario, run, _ := strings.Cut(r, "/run")
			lines.WriteString(scenario + "," + run + "," + filepath.Join(dir, r, "client.pcap.zst") + "\n")
		}
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(lines.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	all := write("all.csv", "lia/run1", "lia/run2", "olia/run1", "olia/run2")
	some := write("some.csv", "olia/run2", "lia/run1")
	taskOf(t, cli.ExitOK, "--manifest", all, "--output", out)
	equal(t, documents(t, "--results", out, "--manifest", some), documents(t, "--manifest", some))

	code, said, errs := trueProgram("task", "--manifest", some, "--output", out, "--prune")
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	if code != cli.ExitOK || len(lines) != 3 || !strings.Contains(lines[1], "lia.2.") || !strings.Contains(lines[2], "olia.1.") {
		t.Fatalf("status %d, %s%q, want the files of two runs", code, errs, lines)
	}
	if code, _, errs := trueProgram("compare", "--results", out); code != cli.ExitFailed || !strings.Contains(errs, "task --prune") {
		t.Errorf("results of two lists: status %d, %s", code, errs)
	}
	for _, stale := range lines[1:] {
		if err := os.Remove(stale); err != nil {
			t.Error(err)
		}
	}
	merged := filepath.Join(dir, "merged")
	if code, said, errs := trueProgram("compare", "--results", out, "--out", merged); code != cli.ExitOK || string(said) != "2 results in "+merged+"\n" {
		t.Errorf("--out: status %d, %s%s", code, said, errs)
	}
	equal(t, documents(t, "--results", merged), documents(t, "--manifest", some))
	if code, _, errs := trueProgram("compare", "--results", out, "--out", merged, "--json"); code != cli.ExitFailed || !strings.Contains(errs, "--json=- beside --out") {
		t.Errorf("--json beside --out: status %d, %s", code, errs)
	}
}
