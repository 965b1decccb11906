package main

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"mpanalyze/internal/testrun"
)

// asProgram is the environment variable that makes the test binary run as the program.
const asProgram = "MPANALYZE_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

const (
	root     = "../.."
	sessions = "../../testdata/sessions"
)

// samples maps the file names that the documents use to real sessions.
var samples = map[string]string{
	"session.pcap": "v1/h-csum-flip-two/client.pcap.zst", "session.pcap.zst": "v1/f-handover/client.pcap.zst",
	"client.pcap": "v1/p-skew/client.pcap.zst", "server.pcap": "v1/p-skew/server.pcap.zst",
	"wifi.pcap": "v1/p-perif/client.p1.pcap.zst", "lte.pcap": "v1/p-perif/client.p2.pcap.zst",
	"lia.pcap": "campaign/lia/run1/client.pcap.zst", "olia.pcap": "campaign/olia/run1/client.pcap.zst",
	"runs/lia/run1/client.pcap": "campaign/lia/run1/client.pcap.zst", "runs/olia/run1/client.pcap": "campaign/olia/run1/client.pcap.zst",
	"study/minrtt/lia/run1/client.pcap": "v1/b-lte-cubic/client.pcap.zst", "study/minrtt/lia/run1/server.pcap": "v1/b-lte-cubic/server.pcap.zst",
	"study/minrtt/olia/run1/client.pcap": "v1/p-nat/client.pcap.zst", "study/minrtt/olia/run1/server.pcap": "v1/p-nat/server.pcap.zst",
	"study/ecf/lia/run1/client.pcap": "v1/l-spurious/client.pcap.zst", "study/ecf/lia/run1/server.pcap": "v1/l-spurious/server.pcap.zst",
	"study/ecf/olia/run1/client.pcap": "v0/upload/client.pcap.zst", "study/ecf/olia/run1/server.pcap": "v0/upload/server.pcap.zst",
	"a1.pcap": "campaign/lia/run1/client.pcap.zst", "a2.pcap": "campaign/lia/run2/client.pcap.zst", "a3.pcap": "v1/f-handover/client.pcap.zst",
	"b1.pcap": "campaign/olia/run1/client.pcap.zst", "b2.pcap": "campaign/olia/run2/client.pcap.zst", "b3.pcap": "v1/l-single-loss/client.pcap.zst",
}

// workshop makes a directory in which the documents' commands can run: the captures
// that they name, and testdata.
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
		assert.NilError(t, err)
	}
	for name, session := range samples {
		link(filepath.Join(sessions, session), name)
	}
	link(filepath.Join(root, "testdata"), "testdata")
	link(filepath.Join(sessions, "campaign"), "campaign")
	program, err := os.Executable()
	assert.NilError(t, err)
	link(program, "bin/mpanalyze")
	assert.NilError(t, os.WriteFile(filepath.Join(dir, "runs.csv"), []byte("scenario,run,files\none,1,a1.pcap\ntwo,1,b2.pcap\n"), 0o666))
	assert.NilError(t, os.MkdirAll(filepath.Join(dir, images, "papers"), 0o777))
	// A document shows the output for a user who has set nothing: no width, no colours, no time
	// zone, no language. R writes lines about a language that is not installed.
	env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains([]string{"COLUMNS", "NO_COLOR", "TERM", "TZ", "LANG", "LANGUAGE"}, name) || strings.HasPrefix(name, "LC_")
	})
	env = append(env, asProgram+"=1", "PATH="+filepath.Join(dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"),
		"XDG_CACHE_HOME="+filepath.Join(dir, "cache"), "HOME="+dir, "GORACE=atexit_sleep_ms=0", "TZ=UTC")
	// The Python package, from its sources, with this program in place of that of a wheel.
	sources, err := filepath.Abs(filepath.Join(root, "python", "src"))
	assert.NilError(t, err)
	env = append(env, "PYTHONPATH="+sources+string(os.PathListSeparator)+os.Getenv("PYTHONPATH"), "PYTHONDONTWRITEBYTECODE=1",
		"MPANALYZE="+filepath.Join(dir, "bin", "mpanalyze"))
	return dir, env
}

// documents are the pages whose commands run.
func documents(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	assert.Assert(t, err == nil && len(pages) >= 3, "%d pages: %v", len(pages), err)
	for i := range pages {
		pages[i] = "docs/" + filepath.Base(pages[i])
	}
	return append([]string{"README.md"}, pages...)
}

// images is where commands of documents write the pictures that documents show.
const images = "docs/images"

// TestDocuments runs the commands of the documents on real sessions. If a block of output follows
// a block of commands, it must equal the output of the program; -update writes that output into
// the document. Every other command must succeed and print or write something. The pictures that
// commands write must equal those in docs/images.
func TestDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the commands of the documents take many seconds")
	}
	drawn := make(chan []string, len(documents(t)))
	t.Run("pages", func(t *testing.T) {
		for _, name := range documents(t) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				drawn <- runPage(t, name)
			})
		}
	})
	close(drawn)
	made := map[string]bool{}
	for names := range drawn {
		for _, name := range names {
			made[name] = true
		}
	}
	for _, name := range filesBelow(t, root, images) {
		assert.Check(t, made[name] || flag.Lookup("test.run").Value.String() != "", "%s: no command of a document draws it", name)
	}
}

// filesBelow lists the files of a folder and its folders, with the folder in their names.
func filesBelow(t *testing.T, dir, folder string) (names []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), folder, func(name string, f fs.DirEntry, err error) error {
		if err == nil && !f.IsDir() {
			names = append(names, name)
		}
		return err
	})
	assert.NilError(t, err)
	return names
}

// runPage runs the commands of a page and returns the pictures that they drew.
func runPage(t *testing.T, name string) (drawn []string) {
	text, err := os.ReadFile(filepath.Join(root, name))
	assert.NilError(t, err)
	s := &pageRun{t: t, name: name}
	s.dir, s.env = workshop(t)
	was := string(text)
	now := s.generated(was)
	s.prepare(was)
	now = s.blocks(now)
	draws, others := inText(now)
	for _, command := range slices.Concat(draws, testrun.SampleFrom(others, which(t, now))) {
		s.command(command)
	}
	keep(t, name, was, now)
	return s.pictures()
}

// which is a number for a page and this program. It decides which of the commands in running text
// are tried. Equal sources try the same ones, and changed sources others.
func which(t *testing.T, page string) uint64 {
	t.Helper()
	h := fnv.New64a()
	h.Write([]byte(page))
	h.Write(programHash())
	return h.Sum64()
}

// programHash is a hash of this program, or of nothing where it cannot be read.
var programHash = sync.OnceValue(func() []byte {
	h := sha256.New()
	if name, err := os.Executable(); err == nil {
		if f, err := os.Open(name); err == nil {
			defer f.Close()
			io.Copy(h, f)
		}
	}
	return h.Sum(nil)
})

// inText returns the commands in running text and in tables of a page, each once: those that draw a
// picture of a document, which all run, and the others.
func inText(page string) (draws, commands []string) {
	for line := range strings.Lines(fence.ReplaceAllString(page, "")) {
		for _, c := range cell.FindAllStringSubmatch(line, -1) {
			command := strings.ReplaceAll(c[1], `\|`, "|")
			if strings.HasPrefix(line, "|") || strings.Contains(command, ".pcap") { // others name a command
				switch {
				case slices.Contains(commands, command) || slices.Contains(draws, command):
				case strings.Contains(command, images):
					draws = append(draws, command)
				default:
					commands = append(commands, command)
				}
			}
		}
	}
	return draws, commands
}

// makes are the commands that make files which the documents name, on machines that have the
// programs for it.
var makes = map[string]string{
	"theirs.csv":     "mpanalyze tcptrace --csv -r -W session.pcap > theirs.csv",
	"plain.pcap.bz2": "zstd -dc < session.pcap | bzip2 > plain.pcap.bz2",
	"plain.pcap.Z":   "zstd -dc < session.pcap | compress -c > plain.pcap.Z; [ $? != 1 ]", // 2: the file did not become smaller
	"plain.snoop":    "zstd -dc < session.pcap > plain.pcap; editcap -F snoop plain.pcap plain.snoop",
}

// prepare makes the files that a page names.
func (s *pageRun) prepare(text string) {
	for _, name := range slices.Sorted(maps.Keys(makes)) {
		if !strings.Contains(text, name) || cannotRun(s.t, "sh", makes[name], s.env) != "" {
			continue
		}
		out, err := s.run(s.t, "sh", makes[name])
		assert.Assert(s.t, err == nil, "%s: %v\n%s", makes[name], err, out)
	}
	if strings.Contains(text, "plain.erf") {
		assert.NilError(s.t, os.WriteFile(filepath.Join(s.dir, "plain.erf"), erf(s.t, filepath.Join(s.dir, "session.pcap")), 0o666))
	}
}

// keep compares what a file of the source tree holds with what it should hold, or writes
// that with -update.
func keep(t *testing.T, name, was, now string) {
	t.Helper()
	switch {
	case was == now:
	case golden.FlagUpdate():
		path := filepath.Join(root, name)
		err := os.MkdirAll(filepath.Dir(path), 0o777)
		if err == nil {
			err = os.WriteFile(path, []byte(now), 0o666)
		}
		assert.NilError(t, err)
		t.Errorf("%s written anew", name)
	case strings.HasSuffix(name, ".md"):
		t.Errorf("%s is not what the program says (go test ./cmd/mpanalyze -run TestDocuments -update writes it anew): %s", name, difference(was, now))
	default:
		t.Errorf("%s is not what the program writes (go test ./cmd/mpanalyze -run TestDocuments -update writes it anew)", name)
	}
}

// difference shows the first line in which two texts differ.
func difference(was, now string) string {
	a, b := strings.Split(was, "\n"), strings.Split(now, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d\n has    %q\n wanted %q", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines, wanted %d", len(a), len(b))
}

// pageRun runs the commands of one page, one after the other in one directory.
type pageRun struct {
	t    *testing.T
	name string // of the page
	dir  string
	env  []string
}

// A fence is a block of a document between lines of three backquotes.
var fence = regexp.MustCompile("(?ms)^( *)```([a-z]*)[^\n`]*\n(.*?)^ *```$")

// cell is a command in running text or in a table.
var cell = regexp.MustCompile("`((?:[^`|\n]|\\\\\\|)*mpanalyze (?:[^`|\n]|\\\\\\|)+)`")

// languages are the languages of blocks that run, and what runs them.
var languages = map[string][]string{
	"sh": {"sh"}, "python": {"python3", "-"}, "r": {"Rscript", "--vanilla", "-"}, "sql": {"python3", "-c", runSQL},
}

// runSQL runs SQL by DuckDB's module for Python.
const runSQL = `import duckdb, sys
result = duckdb.sql(sys.stdin.read())
print("\t".join(result.columns))
for row in result.fetchall():
    print("\t".join("" if v is None else str(v) for v in row))`

// blocks runs the blocks of a page and returns the page with their outputs.
func (s *pageRun) blocks(text string) string {
	var out strings.Builder
	end := 0 // of what is written
	all := fence.FindAllStringSubmatchIndex(text, -1)
	for i, at := range all {
		language, body := text[at[4]:at[5]], text[at[6]:at[7]]
		if languages[language] == nil {
			continue
		}
		if i+1 == len(all) || strings.TrimSpace(text[at[1]:all[i+1][0]]) != "" || languages[text[all[i+1][4]:all[i+1][5]]] != nil {
			s.lines(language, body)
			continue
		}
		next := all[i+1]
		out.WriteString(text[end:next[6]])
		out.WriteString(s.shown(language, body, text[next[6]:next[7]]))
		end = next[7]
	}
	return out.String() + text[end:]
}

// shown runs a block whose output the page shows, and returns that output. If the block cannot
// run here, it returns was, the output that the page shows now.
func (s *pageRun) shown(language, body, was string) (now string) {
	now = was
	s.t.Run(firstLine(body), func(t *testing.T) {
		if why := cannotRun(t, language, body, s.env); why != "" {
			t.Skip(why)
		}
		out, err := s.run(t, language, body)
		if err != nil {
			t.Errorf("%s: %v\n%s", body, err, out)
			return
		}
		now = out
	})
	return now
}

// lines runs the program's commands in a shell block that shows no output, one by one; other
// commands are for the reader. Blocks in other languages run as a whole.
func (s *pageRun) lines(language, body string) {
	if language != "sh" {
		s.shown(language, body, "")
		return
	}
	for line := range strings.Lines(strings.ReplaceAll(body, "\\\n", " ")) {
		line, _, _ = strings.Cut(line, "  #")
		line, _, _ = strings.Cut(line, " # ")
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "mpanalyze ") {
			s.command(line)
		}
	}
}

// output is the file or directory that a command is told to write.
var output = regexp.MustCompile(`(?:-o|--csv|--xplot|--mptcptrace|--figure [a-z]+)[ =]([A-Za-z0-9_./][A-Za-z0-9_./-]*)(?: |$)`)

// command runs a command whose output the page does not show.
func (s *pageRun) command(command string) {
	s.t.Run(command, func(t *testing.T) {
		if why := cannotRun(t, "sh", command, s.env); why != "" {
			t.Skip(why)
		}
		target := output.FindStringSubmatch(command)
		out, err := s.run(t, "sh", command)
		switch {
		case err != nil:
			t.Errorf("%s: %v\n%s", command, err, out)
		case target != nil:
			info, err := os.Stat(filepath.Join(s.dir, target[1]))
			assert.Check(t, err == nil && info.Size() != 0, "%s: %s is not there or empty: %v", command, target[1], err)
		case out == "" && !strings.Contains(command, "--diff") && !strings.Contains(command, " > "):
			t.Errorf("%s: says nothing", command)
		}
	})
}

// run runs a text in a language and returns what it says.
func (s *pageRun) run(t *testing.T, language, text string) (string, error) {
	with := languages[language]
	cmd := testrun.Command(t, with[0], with[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = s.dir, s.env, strings.NewReader(text)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// others are programs that a machine may lack.
var others = regexp.MustCompile(`(?:^|[|;&(\n] *)(jq|python3|tshark|tcptrace|zstd|xz|bzip2|gzip|compress|editcap) `)

// modules are what a Python block imports.
var modules = regexp.MustCompile(`(?m)^import (\w+)`)

// cannotRun returns what a block needs and this machine lacks; empty if the block can run.
func cannotRun(t *testing.T, language, body string, env []string) string {
	needs := []string{languages[language][0]}
	if language == "sh" {
		for _, m := range others.FindAllStringSubmatch(body, -1) {
			needs = append(needs, m[1])
		}
	}
	for _, program := range needs {
		if _, err := exec.LookPath(program); err != nil {
			return program + " is not installed"
		}
	}
	for name := range makes {
		if strings.Contains(body, name) && body != makes[name] {
			if why := cannotRun(t, "sh", makes[name], env); why != "" {
				return why
			}
		}
	}
	imports := modules.FindAllStringSubmatch(body, -1)
	if language == "sql" {
		imports = [][]string{{"", "duckdb"}}
	}
	if slices.ContainsFunc(imports, func(m []string) bool { return m[1] == "mpanalyze" }) {
		imports = append(imports, []string{"", "pandas"}, []string{"", "pyarrow"})
	}
	for _, m := range imports {
		if !hasModule(t, m[1], env) {
			return "Python has no module " + m[1]
		}
	}
	return ""
}

// tried remembers for each Python module whether it can be imported: pandas takes most of a
// second.
var tried sync.Map

func hasModule(t *testing.T, name string, env []string) bool {
	known, there := tried.Load(name)
	if !there {
		cmd := testrun.Command(t, "python3", "-c", "import "+name)
		cmd.Env = env
		known = cmd.Run() == nil
		tried.Store(name, known)
	}
	return known.(bool)
}

// pictures compares the pictures that the commands drew with those of the source tree.
func (s *pageRun) pictures() (names []string) {
	for _, name := range filesBelow(s.t, s.dir, images) {
		now, err := os.ReadFile(filepath.Join(s.dir, name))
		assert.NilError(s.t, err)
		was, _ := os.ReadFile(filepath.Join(root, name)) // none: it is written
		keep(s.t, name, string(was), string(now))
		names = append(names, name)
	}
	return names
}

// firstLine returns the first line of a block, as a name.
func firstLine(body string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(body), "\n")
	return line
}

// generated returns a page with its parts between "<!-- begin NAME -->" and "<!-- end NAME -->"
// made anew.
func (s *pageRun) generated(text string) string {
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		before, rest, found := strings.Cut(text, "<!-- begin "+name+" -->\n")
		if !found {
			continue
		}
		_, after, ended := strings.Cut(rest, "<!-- end "+name+" -->\n")
		if !ended {
			s.t.Errorf("%s: no end of the part %s", s.name, name)
			continue
		}
		var b bytes.Buffer
		parts[name](s.t, &b)
		text = before + "<!-- begin " + name + " -->\n\n" + b.String() + "\n<!-- end " + name + " -->\n" + after
	}
	return text
}

// mostOfReadme is how many bytes the README has at most: a screen or two.
const mostOfReadme = 6000

func TestReadmeIsShort(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	assert.NilError(t, err)
	assert.Check(t, len(text) <= mostOfReadme, "README.md has %d bytes, more than %d: move what is for few readers to docs/", len(text), mostOfReadme)
}

// TestLinks holds that each relative link of a document leads to a file, and each anchor to
// a heading.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, name := range append(documents(t), "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md") {
		text, err := os.ReadFile(filepath.Join(root, name))
		assert.NilError(t, err)
		for _, m := range link.FindAllStringSubmatch(fence.ReplaceAllString(string(text), ""), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			path := filepath.Join(root, filepath.Dir(name), target)
			if target == "" {
				path = filepath.Join(root, name)
			}
			there, err := os.ReadFile(path)
			if err != nil {
				info, serr := os.Stat(path)
				assert.Check(t, serr == nil && info.IsDir(), "%s: %s leads nowhere: %v", name, m[1], err)
				continue
			}
			assert.Check(t, anchor == "" || slices.Contains(anchors(string(there)), anchor), "%s: %s has no heading for #%s", name, target, anchor)
		}
	}
}

// anchors returns the anchors of a page's headings, as GitHub makes them.
func anchors(text string) (out []string) {
	drop := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		out = append(out, strings.ReplaceAll(drop.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return out
}
