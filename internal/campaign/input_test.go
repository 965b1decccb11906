package campaign

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func touch(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, n := range names {
		file := filepath.Join(dir, n)
		assert.NilError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		assert.NilError(t, os.WriteFile(file, nil, 0o644))
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	touch(t, dir,
		"lia/run10/client.pcap.zst", "lia/run2/client.pcap", "lia/run2/client.pcap.gz", "lia/run2/server.pcap",
		"balia/run1/client.pcap.xz", "balia/notes.txt", "balia/run3/other",
		"x/night/a/1.eth0.pcap", "x/night/a/1.lte0.pcap", ".old/run1/client.pcap", "two\nlines/n/b/1.x.pcap")
	assert.NilError(t, os.Mkdir(filepath.Join(dir, "empty"), 0o755))
	for _, c := range []struct {
		pattern string
		want    []string
	}{
		// Of run2 the plain file counts once; run10 stands behind it.
		{"{scenario}/run{run}/client.pcap", []string{"balia|1|balia/run1/client.pcap.xz", "lia|2|lia/run2/client.pcap", "lia|10|lia/run10/client.pcap.zst", "balia|3||folder balia/run3 holds nothing that fits client.pcap", "empty|||folder empty holds nothing that fits run{run}/client.pcap"}},
		{"{scenario}/*run{run}/server.*", []string{"lia|2|lia/run2/server.pcap", "balia|1||folder balia/run1 holds nothing that fits server.*", "balia|3||folder balia/run3 holds nothing that fits server.*", "empty|||folder empty holds nothing that fits *run{run}/server.*", "lia|10||folder lia/run10 holds nothing that fits server.*"}},
		{"{scenario}/{hour}/{scenario}/{run}.*.pcap", []string{"two\nlines/b|1|two\nlines/n/b/1.x.pcap|hour=n", "x/a|1|x/night/a/1.eth0.pcap+x/night/a/1.lte0.pcap|hour=night", "empty|||folder empty holds nothing that fits {hour}/{scenario}/{run}.*.pcap"}},
		{"./lia/../{scenario}/run1/client.pcap", []string{"balia|balia/run1/client.pcap.xz|balia/run1/client.pcap.xz", "empty|||folder empty holds nothing that fits run1/client.pcap"}},
	} {
		found, err := Find(filepath.Join(dir, ".") + "/" + c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		var got []string
		for _, in := range found {
			line := in.Scenario + "|" + in.Name + "|" + strings.Join(in.Files, "+")
			if h := in.Labels["hour"]; h != "" {
				line += "|hour=" + h
			}
			if in.Problem != "" {
				line += "|" + in.Problem
			}
			got = append(got, strings.ReplaceAll(line, dir+"/", ""))
		}
		assert.Check(t, is.DeepEqual(got, c.want), "%s", c.pattern)
	}
	for _, bad := range []string{"run{run}/client.pcap", "run{run}/{host}.pcap", "{scenario}/{", "{scenario}/nothing", "{scenario}/{}"} {
		got, err := Find(dir + "/" + bad)
		assert.Check(t, err != nil, "%s finds %v", bad, got)
	}
}

// TestFindPairs: {host} makes a pair of the files of each run; a run that has only one file is
// named.
func TestFindPairs(t *testing.T) {
	dir := t.TempDir()
	touch(t, dir,
		"lia/run1/client.pcap.zst", "lia/run1/server.pcap", "lia/run2/client.pcap", "lia/run10/server.eth1.pcap", "lia/run10/server.eth0.pcap", "lia/run10/client.lte.pcap",
		"olia/run1/server.pcap", "olia/run1/client.pcap", "olia/run1/router.pcap")
	t.Chdir(dir)
	pair := func(scenario, run string, files, receiver []string, problem string) Input {
		return Input{Scenario: scenario, Name: run, Files: files, Receiver: receiver, Swap: receiver != nil, Labels: map[string]string{}, Problem: problem}
	}
	for pattern, want := range map[string][]Input{
		"{scenario}/run{run}/{host}.pcap": {
			pair("lia", "1", []string{"lia/run1/client.pcap.zst"}, []string{"lia/run1/server.pcap"}, ""),
			pair("lia", "2", []string{"lia/run2/client.pcap"}, nil, "has the capture of client only; {host} takes those of two hosts"),
			pair("lia", "10", []string{"lia/run10/client.lte.pcap", "lia/run10/server.eth0.pcap", "lia/run10/server.eth1.pcap"}, nil,
				"has captures of 3 hosts (client.lte, server.eth0, server.eth1); {host} takes those of two"),
			pair("olia", "1", []string{"olia/run1/client.pcap", "olia/run1/router.pcap", "olia/run1/server.pcap"}, nil, "has captures of 3 hosts (client, router, server); {host} takes those of two"),
		},
		"{scenario}/run1/{host}.pcap": { // without {run} a run is what differs in {host} alone
			pair("lia", "lia/run1/{host}.pcap", []string{"lia/run1/client.pcap.zst"}, []string{"lia/run1/server.pcap"}, ""),
			pair("olia", "olia/run1/{host}.pcap", []string{"olia/run1/client.pcap", "olia/run1/router.pcap", "olia/run1/server.pcap"}, nil, "has captures of 3 hosts (client, router, server); {host} takes those of two"),
		},
		"{scenario}/run{run}/{host}.*.pcap": {
			pair("lia", "10", []string{"lia/run10/client.lte.pcap"}, []string{"lia/run10/server.eth0.pcap", "lia/run10/server.eth1.pcap"}, ""),
			pair("lia", "1", nil, nil, "folder lia/run1 holds nothing that fits {host}.*.pcap"),
			pair("lia", "2", nil, nil, "folder lia/run2 holds nothing that fits {host}.*.pcap"),
			pair("olia", "1", nil, nil, "folder olia/run1 holds nothing that fits {host}.*.pcap"),
		},
	} {
		got, err := Find(pattern)
		d := cmp.Diff(want, got)
		assert.Check(t, err == nil && d == "", "%s: %v (-want +got):\n%s", pattern, err, d)
	}
}

// TestFindFactors: without {scenario}, a scenario is a combination of the other names in the
// pattern.
func TestFindFactors(t *testing.T) {
	dir := t.TempDir()
	touch(t, dir, "minrtt/lia/run1_1a.pcap", "minrtt/lia/run1_1b.pcap", "ecf/lia/run2_2a.pcap", "ecf/lia/run2_3b.pcap")
	t.Chdir(dir)
	got, err := Find("{scheduler}/{cc}/run{run}_{run}{host}.pcap")
	want := []Input{
		{
			Scenario: "ecf/lia", Name: "2", Files: []string{"ecf/lia/run2_2a.pcap"}, Factors: []Factor{{"scheduler", "ecf"}, {"cc", "lia"}}, Labels: map[string]string{},
			Problem: "has the capture of a only; {host} takes those of two hosts",
		},
		{
			Scenario: "minrtt/lia", Name: "1", Files: []string{"minrtt/lia/run1_1a.pcap"}, Receiver: []string{"minrtt/lia/run1_1b.pcap"}, Swap: true,
			Factors: []Factor{{"scheduler", "minrtt"}, {"cc", "lia"}}, Labels: map[string]string{},
		},
	}
	assert.NilError(t, err)
	assert.Check(t, is.DeepEqual(got, want)) // run2_3b has two numbers of the run
	got, err = Find("{scenario}/{cc}/*{host}.pcap")
	assert.Check(t, err == nil && got[0].Scenario == "ecf" && got[0].Factors == nil && got[0].Labels["cc"] == "lia", "beside {scenario} there are labels: %+v, %v", got, err)
}

func TestFindFollowsRelativePaths(t *testing.T) {
	dir := t.TempDir()
	touch(t, dir, "a/1.pcap")
	touch(t, dir, "here/keep")
	t.Chdir(filepath.Join(dir, "here"))
	for _, pattern := range []string{"../{scenario}/{run}.pcap", "./../{scenario}/{run}.pcap"} {
		got, err := Find(pattern)
		assert.Check(t, err == nil && len(got) == 1 && got[0].Files[0] == "../a/1.pcap", "%s: %+v, %v", pattern, got, err)
	}
}

func TestNatural(t *testing.T) {
	names := []string{"run10", "run2", "run", "run02", "a9b10", "a9b9", "run2x"}
	slices.SortFunc(names, CompareNames)
	want := []string{"a9b9", "a9b10", "run", "run2", "run2x", "run02", "run10"}
	assert.Check(t, is.DeepEqual(names, want))
}

func TestReadManifest(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) string {
		file := filepath.Join(dir, "runs.csv")
		assert.NilError(t, os.WriteFile(file, []byte(text), 0o644))
		return file
	}
	got, err := ReadManifest(nil, write("scenario,run,files,vantage,hour\nBALIA/Reno, 7 ,a.pcap;/b.pcap,b,3\n\"L,IA\",,c.json,,4\n"))
	assert.NilError(t, err)
	want := []Input{
		{Scenario: "BALIA/Reno", Name: "7", Files: []string{dir + "/a.pcap", "/b.pcap"}, Vantage: "b", Labels: map[string]string{"hour": "3"}},
		{Scenario: "L,IA", Name: "2", Files: []string{dir + "/c.json"}, Labels: map[string]string{"hour": "4"}},
	}
	assert.Check(t, is.DeepEqual(got, want))
	got, err = ReadManifest(nil, write("scheduler,cc,run,sender,receiver,files\nminrtt,lia,1,s.pcap;t.pcap,c.pcap,\nminrtt,olia,1,,c.pcap,\necf,lia,1,,,one.pcap\n"))
	assert.NilError(t, err)
	factors := func(scheduler, cc string) []Factor { return []Factor{{"scheduler", scheduler}, {"cc", cc}} }
	want = []Input{
		{Scenario: "minrtt/lia", Name: "1", Files: []string{dir + "/s.pcap", dir + "/t.pcap"}, Receiver: []string{dir + "/c.pcap"}, Factors: factors("minrtt", "lia"), Labels: map[string]string{}},
		{
			Scenario: "minrtt/olia", Name: "1", Receiver: []string{dir + "/c.pcap"}, Factors: factors("minrtt", "olia"), Labels: map[string]string{},
			Problem: "has a receiver's capture and none of the sender; the column files takes captures of one host",
		},
		{Scenario: "ecf/lia", Name: "1", Files: []string{dir + "/one.pcap"}, Factors: factors("ecf", "lia"), Labels: map[string]string{}},
	}
	assert.Check(t, is.DeepEqual(got, want))
	for text, message := range map[string]string{
		"run,files\n1,a\n":                          "no column scenario and no factors",
		"scenario,run,run,files\n":                  "two columns run",
		"scenario,sender,files\nX,a,\n":             "one of the columns sender and receiver",
		"cc,files\n,a\n":                            "line 2: has no cc, which is a factor",
		"scenario,sender,receiver,files\nX,a,b,c\n": "line 2: has files beside sender and receiver",
		"":                                   "no line of column names",
		"scenario,run\n":                     "no column files",
		"scenario,files\n":                   "lists no run",
		"scenario,files\nX,\n":               "line 2: needs a scenario",
		"scenario,files,vantage\nX,f,left\n": `line 2: vantage "left"`,
		"scenario,files\nX,f,more\n":         "wrong number of fields",
	} {
		assert.Check(t, is.ErrorContains(errorOf(ReadManifest(nil, write(text))), message), "%q", text)
	}
}

func TestParseScenario(t *testing.T) {
	got, err := ParseScenario("A/B=x.pcap,y=1.json")
	want := []Input{{Scenario: "A/B", Name: "x.pcap", Files: []string{"x.pcap"}}, {Scenario: "A/B", Name: "y=1.json", Files: []string{"y=1.json"}}}
	d := cmp.Diff(want, got)
	assert.Check(t, err == nil && d == "", "%v (-want +got):\n%s", err, d)
	got, err = ParseScenario(`"a=""b"""="x,1.pcap",y"z,"q"`)
	want = nil
	for _, f := range []string{"x,1.pcap", `y"z`, "q"} {
		want = append(want, Input{Scenario: `a="b"`, Name: f, Files: []string{f}})
	}
	d = cmp.Diff(want, got)
	assert.Check(t, err == nil && d == "", "%v (-want +got):\n%s", err, d)
	for _, bad := range []string{"", "A", "=x", "A=", "A=x,,y", "A=-", `"A"x=y`, `A="x"y,z`, `A="x",`, `A=""`} {
		assert.Check(t, errorOf(ParseScenario(bad)) != nil, "%q is taken", bad)
	}
}

func FuzzFind(f *testing.F) {
	f.Add("{scenario}/run{run}/client.pcap")
	f.Add("{scenario")
	f.Add("*{scenario}{run}*")
	f.Fuzz(func(t *testing.T, pattern string) {
		s, err := parsePattern(strings.ReplaceAll(pattern, "/", "_"))
		if err == nil && s.upTo[0].NumSubexp() != len(s.names) {
			t.Errorf("%q: %d groups, %d names", pattern, s.upTo[0].NumSubexp(), len(s.names))
		}
	})
}
