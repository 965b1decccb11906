package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mpanalyze/internal/testrun"
)

// artefactPlace is a directory with copies of captures, in which artefacts are made.
type artefactPlace struct {
	t   *testing.T
	dir string
	env []string
}

// newArtefactPlace copies the captures that a command names.
func newArtefactPlace(t *testing.T, captures map[string]string) *artefactPlace {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh, which runs the script of an artefact")
	}
	_, env := workshop(t)
	p := &artefactPlace{t, t.TempDir(), env}
	for name, session := range captures {
		text, err := os.ReadFile(filepath.Join(sessions, session))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(p.dir, name)), 0o777)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(p.dir, name), text, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// run runs a command in a directory below the place.
func (p *artefactPlace) run(dir string, words ...string) (said string, status int) {
	p.t.Helper()
	cmd := testrun.Command(p.t, "sh", append([]string{"-c", `exec "$@"`, "sh"}, words...)...)
	cmd.Dir, cmd.Env = filepath.Join(p.dir, dir), p.env
	text, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		p.t.Fatal(err)
	}
	return string(text), cmd.ProcessState.ExitCode()
}

// must runs a command that succeeds.
func (p *artefactPlace) must(dir string, words ...string) {
	p.t.Helper()
	if said, status := p.run(dir, words...); status != 0 {
		p.t.Fatalf("%q: status %d: %s", words, status, said)
	}
}

// again runs the script of an artefact and compares its status and what it says.
func (p *artefactPlace) again(dir, script, says string, want int, more ...string) {
	p.t.Helper()
	if said, status := p.run(dir, append([]string{"sh", script}, more...)...); status != want || !strings.Contains(said, says) {
		p.t.Errorf("%s in %q: status %d, want %d and %q: %s", script, dir, status, want, says, said)
	}
}

// flip changes one byte of a file and returns what puts it back.
func (p *artefactPlace) flip(name string) (back func()) {
	p.t.Helper()
	name = filepath.Join(p.dir, name)
	text, err := os.ReadFile(name)
	if err != nil || len(text) == 0 {
		p.t.Fatalf("%s: %d bytes, %v", name, len(text), err)
	}
	write := func() {
		if err := os.WriteFile(name, text, 0o666); err != nil {
			p.t.Fatal(err)
		}
	}
	text[len(text)/2] ^= 1
	write()
	return func() {
		text[len(text)/2] ^= 1
		write()
	}
}

// files returns the files of a directory with their texts.
func (p *artefactPlace) files(dir string) map[string]string {
	p.t.Helper()
	out := map[string]string{}
	entries, err := os.ReadDir(filepath.Join(p.dir, dir))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(p.dir, dir, e.Name()))
		if err != nil {
			p.t.Fatal(err)
		}
		out[e.Name()] = string(text)
	}
	return out
}

const makeAgain = "make-again.sh"

// TestArtefact: the script of an artefact makes it again, with the same bytes, beside the captures
// and in a copy elsewhere, and it fails where one byte differs.
func TestArtefact(t *testing.T) {
	p := newArtefactPlace(t, map[string]string{
		"here/runs/lia/run1/client.pcap.zst": "campaign/lia/run1/client.pcap.zst", "here/runs/lia/run1/server.pcap.zst": "campaign/lia/run1/server.pcap.zst",
		"here/runs/olia/run1/client.pcap.zst": "campaign/olia/run1/client.pcap.zst", "here/runs/olia/run1/server.pcap.zst": "campaign/olia/run1/server.pcap.zst",
	})
	p.must("here", "mpanalyze", "compare", "--pattern", "runs/{scenario}/run{run}/{host}.pcap.zst", "--label", "10.1.1.0/24=it's one", "--metric", "srtt", "--artefact", "one")
	one := p.files("here/one")
	want := strings.Fields("box.svg captures.sha256 cdf.svg compare.html compare.json grid.svg make-again.sh options.json table.csv table.md table.parquet table.tex table.txt values.csv values.parquet")
	for _, name := range want {
		if one[name] == "" {
			t.Errorf("%s is not there or empty", name)
		}
	}
	if len(one) != len(want) {
		t.Errorf("%d files, want %d", len(one), len(want))
	}
	if n := strings.Count(one["captures.sha256"], "\n"); n != 4 || !strings.Contains(one["options.json"], "=it's one") {
		t.Errorf("%d captures, options %s", n, one["options.json"])
	}
	const equal = "all files are equal"
	p.again("here", "one/"+makeAgain, equal, 0)
	p.again("here/one", makeAgain, equal, 0) // the captures are above
	p.must("", "mkdir", "there", "third")
	p.must("", "cp", "-r", "here/one", "there/copy")
	p.again("there", "copy/"+makeAgain, "say where", 1)
	p.again("there", "copy/"+makeAgain, equal, 0, "../here")
	p.must("", "cp", "-r", "here/one", "third/artefact")
	p.must("", "mkdir", "third/artefact/captures")
	p.must("", "cp", "-r", "here/runs", "third/artefact/captures/runs")
	p.again("third", "artefact/"+makeAgain, equal, 0)
	p.again("third/artefact", "./"+makeAgain, equal, 0)

	capture := "third/artefact/captures/runs/lia/run1/client.pcap.zst"
	back := p.flip(capture)
	p.again("third", "artefact/"+makeAgain, "runs/lia/run1/client.pcap.zst", 1)
	back()
	p.flip("third/artefact/options.json") // alone, with equal ones before and behind it
	p.again("third", "artefact/"+makeAgain, "options.json differs\n", 1)
	same := []string{makeAgain, "captures.sha256"}
	for _, name := range want {
		if name != "options.json" && !slices.Contains(same, name) {
			p.flip("third/artefact/" + name)
		}
	}
	said, status := p.run("third", "sh", "artefact/"+makeAgain)
	for _, name := range want {
		changed := !slices.Contains(same, name)
		if told := strings.Contains(said, name+" differs\n"); status != 1 || told != changed {
			t.Errorf("all files but two are changed: status %d, %s is named: %v", status, name, told)
		}
	}
	p.env = append(p.env, "MPANALYZE=/bin/false")
	p.again("third", "artefact/"+makeAgain, "cannot start", 1)
}

// TestArtefactOfScenarios: runs that are named on the command line by absolute paths, one of
// them not usable, and the status that this gives.
func TestArtefactOfScenarios(t *testing.T) {
	p := newArtefactPlace(t, map[string]string{
		"a1.pcap.zst": "campaign/lia/run1/client.pcap.zst", "a2.pcap.zst": "campaign/lia/run2/client.pcap.zst", "b1.pcap.zst": "campaign/olia/run1/client.pcap.zst",
	})
	full := func(name string) string { return filepath.Join(p.dir, name) }
	if err := os.WriteFile(full("empty.pcap"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	said, status := p.run("", "mpanalyze", "compare", "A="+full("a1.pcap.zst")+","+full("a2.pcap.zst"), "B="+full("b1.pcap.zst")+","+full("empty.pcap"), "--skip", "100ms", "--artefact", "out", "--html", "page.html")
	if status != 2 || !strings.Contains(said, "no figures") {
		t.Fatalf("status %d: %s", status, said)
	}
	p.must("", "cmp", "page.html", "out/compare.html")
	p.must("", "mkdir", "there")
	p.must("", "cp", "-r", "out", "there/copy")
	p.again("there/copy", makeAgain, "all files are equal", 0)
	p.flip("a2.pcap.zst")
	p.again("there/copy", makeAgain, "a2.pcap.zst", 1)
}

// TestArtefactRefused: what cannot be made again is refused before anything is written.
func TestArtefactRefused(t *testing.T) {
	p := newArtefactPlace(t, map[string]string{`a\1.pcap`: "campaign/lia/run1/client.pcap.zst"})
	for _, args := range [][]string{
		{`A=a\1.pcap`, "--artefact", "out"},
		{"--results", "somewhere", "--artefact", "out"},
		{"A=none.pcap", "--artefact", "out"},
	} {
		said, status := p.run("", append([]string{"mpanalyze", "compare"}, args...)...)
		if _, err := os.Stat(filepath.Join(p.dir, "out")); status != 1 || !strings.Contains(said, "--artefact") || strings.Contains(said, "make it first") || err == nil {
			t.Errorf("%q: status %d, directory: %v: %s", args, status, err, said)
		}
	}
}

// TestArtefactFlags: figures do not need the records that tables take, the page lists the runs without
// --html, and the script has the flags that change the tables.
func TestArtefactFlags(t *testing.T) {
	p := newArtefactPlace(t, map[string]string{"a.pcap.zst": "campaign/lia/run1/client.pcap.zst", "b.pcap.zst": "campaign/olia/run1/client.pcap.zst"})
	p.must("", "mpanalyze", "compare", "A=a.pcap.zst", "B=b.pcap.zst", "--evidence-dir", "none", "--latex-float", "sideways", "--artefact", "out")
	for _, kind := range []string{"box", "cdf", "grid"} {
		if _, err := os.Stat(filepath.Join(p.dir, "out", kind+".svg")); err != nil {
			t.Error(err)
		}
	}
	if page := p.files("out")["compare.html"]; !strings.Contains(page, "2 runs take part") {
		t.Error("the page does not list the runs")
	}
	script, err := os.ReadFile(filepath.Join(p.dir, "out", makeAgain))
	if err != nil || !strings.Contains(string(script), "--latex-float=sideways") {
		t.Errorf("%v\n%s", err, script)
	}
	p.again("out", makeAgain, "all files are equal", 0)
}
