package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mpanalyze/internal/testrun"
)

// asProgram in the environment makes the test binary the program.
const asProgram = "MPANALYZE_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

const sessions = "../../testdata/sessions"

// samples gives the files that the documents name real sessions.
var samples = map[string]string{
	"session.pcap": "v1/h-csum-flip-two/client.pcap.zst", "session.pcap.zst": "v1/f-handover/client.pcap.zst",
	"client.pcap": "v1/p-skew/client.pcap.zst", "server.pcap": "v1/p-skew/server.pcap.zst",
	"wifi.pcap": "v1/p-perif/client.p1.pcap.zst", "lte.pcap": "v1/p-perif/client.p2.pcap.zst",
	"lia.pcap": "campaign/lia/run1/client.pcap.zst", "olia.pcap": "campaign/olia/run1/client.pcap.zst",
	"runs/lia/run1/client.pcap": "campaign/lia/run1/client.pcap.zst", "runs/olia/run1/client.pcap": "campaign/olia/run1/client.pcap.zst",
	"a1.pcap": "campaign/lia/run1/client.pcap.zst", "a2.pcap": "campaign/lia/run2/client.pcap.zst", "a3.pcap": "v1/f-handover/client.pcap.zst",
	"b1.pcap": "campaign/olia/run1/client.pcap.zst", "b2.pcap": "campaign/olia/run2/client.pcap.zst", "b3.pcap": "v1/l-single-loss/client.pcap.zst",
	"r1.pcap": "campaign/lia/run1/client.pcap.zst", "r2.pcap": "campaign/lia/run2/client.pcap.zst", "r3.pcap": "campaign/olia/run1/client.pcap.zst",
}

// workshop makes a directory in which the documents' commands can run.
func workshop(t *testing.T) (dir string, env []string) {
	t.Helper()
	dir = t.TempDir()
	link := func(target, name string) {
		target, err := filepath.Abs(target)
		if err == nil {
			_, err = os.Stat(target)
		}
		if err == nil {
			name = filepath.Join(dir, name)
			err = os.MkdirAll(filepath.Dir(name), 0o777)
		}
		if err == nil {
			err = os.Symlink(target, name)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, session := range samples {
		link(filepath.Join(sessions, session), name)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link(program, "bin/mpanalyze")
	if err := os.WriteFile(filepath.Join(dir, "runs.csv"), []byte("scenario,run,files\none,1,a1.pcap\ntwo,1,b2.pcap\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	env = append(os.Environ(), asProgram+"=1", "PATH="+filepath.Join(dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"),
		"XDG_CACHE_HOME="+filepath.Join(dir, "cache"), "HOME="+dir, "GORACE=atexit_sleep_ms=0")
	return dir, env
}

var (
	block = regexp.MustCompile("(?s)```sh\n(.*?)```")
	cell  = regexp.MustCompile("`((?:[^`|\n]|\\\\\\|)*mpanalyze (?:[^`|\n]|\\\\\\|)+)`")
)

// commands returns the command lines of a document: those of its blocks, or of
// its tables.
func commands(t *testing.T, name string) (out []string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range block.FindAllStringSubmatch(string(text), -1) {
		for line := range strings.Lines(b[1]) {
			line, _, _ = strings.Cut(line, "  #")
			line, _, _ = strings.Cut(line, " # ")
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "mpanalyze ") {
				out = append(out, line)
			}
		}
	}
	if len(out) == 0 {
		for _, c := range cell.FindAllStringSubmatch(string(text), -1) {
			out = append(out, strings.ReplaceAll(c[1], `\|`, "|"))
		}
	}
	return out
}

// TestDocuments runs every command of the documents on real sessions: it ends
// well and says or writes something.
func TestDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the commands of the documents take many seconds")
	}
	dir, env := workshop(t)
	run := func(command string) (string, error) {
		cmd := testrun.Command(t, "sh", "-c", command)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run("mpanalyze tcptrace --csv -r -W session.pcap > theirs.csv"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"README.md", "docs/parity.md"} {
		list := commands(t, filepath.Join("../..", name))
		if len(list) < 20 {
			t.Errorf("%s has %d commands, which is too few to be all", name, len(list))
		}
		for i, command := range list {
			t.Run(fmt.Sprintf("%s/%d", name, i), func(t *testing.T) {
				target := output.FindStringSubmatch(command)
				out, err := run(command)
				switch {
				case err != nil:
					t.Errorf("%s: %v\n%s", command, err, out)
				case target != nil:
					if info, err := os.Stat(filepath.Join(dir, target[1])); err != nil || info.Size() == 0 {
						t.Errorf("%s: %s is not there or empty: %v", command, target[1], err)
					}
				case out == "" && !strings.Contains(command, "--diff"):
					t.Errorf("%s: says nothing", command)
				}
			})
		}
	}
}

// output is the file or directory that a command is told to write.
var output = regexp.MustCompile(`(?:-o|--csv|--xplot|--mptcptrace|--html)[ =]([A-Za-z0-9_.]+)(?: |$)`)
