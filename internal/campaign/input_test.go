package campaign

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func touch(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, n := range names {
		file := filepath.Join(dir, n)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	touch(t, dir,
		"lia/run10/client.pcap.zst", "lia/run2/client.pcap", "lia/run2/client.pcap.gz", "lia/run2/server.pcap",
		"balia/run1/client.pcap.xz", "balia/notes.txt", "balia/run3/other",
		"x/night/a/1.eth0.pcap", "x/night/a/1.lte0.pcap")
	for _, c := range []struct {
		pattern string
		want    []string
	}{
		// Of run2 the plain file counts once; run10 stands behind it.
		{"{scenario}/run{run}/client.pcap", []string{"balia|1|balia/run1/client.pcap.xz", "lia|2|lia/run2/client.pcap", "lia|10|lia/run10/client.pcap.zst"}},
		{"{scenario}/*run{run}/server.*", []string{"lia|2|lia/run2/server.pcap"}},
		{"{scenario}/{hour}/{scenario}/{run}.*.pcap", []string{"x/a|1|x/night/a/1.eth0.pcap+x/night/a/1.lte0.pcap|hour=night"}},
		{"./lia/../{scenario}/run1/client.pcap", []string{"balia|balia/run1/client.pcap.xz|balia/run1/client.pcap.xz"}},
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
			got = append(got, strings.ReplaceAll(line, dir+"/", ""))
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.pattern, d)
		}
	}
	for _, bad := range []string{"run{run}/client.pcap", "{scenario}/{", "{scenario}/nothing", "{scenario}/{}"} {
		if got, err := Find(dir + "/" + bad); err == nil {
			t.Errorf("%s finds %v", bad, got)
		}
	}
}

func TestFindFollowsRelativePaths(t *testing.T) {
	dir := t.TempDir()
	touch(t, dir, "a/1.pcap")
	touch(t, dir, "here/keep")
	t.Chdir(filepath.Join(dir, "here"))
	for _, pattern := range []string{"../{scenario}/{run}.pcap", "./../{scenario}/{run}.pcap"} {
		got, err := Find(pattern)
		if err != nil || len(got) != 1 || got[0].Files[0] != "../a/1.pcap" {
			t.Errorf("%s: %+v, %v", pattern, got, err)
		}
	}
}

func TestNatural(t *testing.T) {
	names := []string{"run10", "run2", "run", "run02", "a9b10", "a9b9", "run2x"}
	slices.SortFunc(names, natural)
	want := []string{"a9b9", "a9b10", "run", "run2", "run2x", "run02", "run10"}
	if d := cmp.Diff(want, names); d != "" {
		t.Error(d)
	}
}

func TestReadManifest(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) string {
		file := filepath.Join(dir, "runs.csv")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	got, err := ReadManifest(write("scenario,run,files,vantage,hour\nBALIA/Reno, 7 ,a.pcap;/b.pcap,b,3\n\"L,IA\",,c.json,,4\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Input{
		{Scenario: "BALIA/Reno", Name: "7", Files: []string{dir + "/a.pcap", "/b.pcap"}, Vantage: "b", Labels: map[string]string{"hour": "3"}},
		{Scenario: "L,IA", Name: "2", Files: []string{dir + "/c.json"}, Labels: map[string]string{"hour": "4"}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for text, message := range map[string]string{
		"":                                   "no line of column names",
		"scenario,run\n":                     "no column files",
		"scenario,files\n":                   "lists no run",
		"scenario,files\nX,\n":               "line 2: needs a scenario",
		"scenario,files,vantage\nX,f,left\n": `line 2: vantage "left"`,
		"scenario,files\nX,f,more\n":         "wrong number of fields",
	} {
		if _, err := ReadManifest(write(text)); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%q: error %v, want one that says %q", text, err, message)
		}
	}
}

func TestParseScenario(t *testing.T) {
	got, err := ParseScenario("A/B=x.pcap,y=1.json")
	want := []Input{{Scenario: "A/B", Name: "x.pcap", Files: []string{"x.pcap"}}, {Scenario: "A/B", Name: "y=1.json", Files: []string{"y=1.json"}}}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	for _, bad := range []string{"", "A", "=x", "A=", "A=x,,y", "A=-"} {
		if _, err := ParseScenario(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("{scenario}/run{run}/client.pcap")
	f.Add("{scenario")
	f.Add("*{scenario}{run}*")
	f.Fuzz(func(t *testing.T, pattern string) {
		s, err := parsePattern(strings.ReplaceAll(pattern, "/", "_"))
		if err == nil && len(s.parts) != len(s.names) {
			t.Errorf("%q: %d expressions, %d lists of names", pattern, len(s.parts), len(s.names))
		}
	})
}
