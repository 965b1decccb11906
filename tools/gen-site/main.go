// Command gen-site writes the sources of the documentation site: the README, the pages of
// docs/, the pages beside the README, a page for each command, and the configuration of the
// generator. No text exists twice: the pages of commands come from the help texts. The pages of
// metrics, verdicts and tables are in docs/, where a test checks that they agree with the program.
package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"mpanalyze/tools/helptext"
)

//go:embed mkdocs.yml
var frame []byte

//go:embed site.css
var style []byte

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: gen-site ROOT DIR")
		os.Exit(1)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "gen-site:", err)
		os.Exit(1)
	}
}

// sections are the parts of the navigation, with the names of their pages. The last section gets
// the pages of docs/ that are in no other section.
var sections = []struct {
	title string
	pages []string
}{
	{"Use", []string{"use", "flags", "install", "capturing", "records", "why", "remedies", "live", "questions", "status"}},
	{"Numbers", []string{"numbers", "metrics", "verdicts", "json", "tables"}},
	{"Studies", []string{"pairing", "campaigns", "figures", "papers", "data", "scale", "python", "ci", "golden-tests", "kernel-tests"}},
	{"Other tools", []string{"wireshark", "tcptrace", "differences", "parity"}},
	{"Commands", nil},
	{"Source", []string{"ARCHITECTURE", "CONTRIBUTING", "SECURITY", "CHANGELOG", "dependencies", "samples", "testdata"}},
}

// beside holds the pages outside docs/, by their place in the source tree.
var beside = map[string]string{
	"README.md": "index", "ARCHITECTURE.md": "ARCHITECTURE", "CONTRIBUTING.md": "CONTRIBUTING", "SECURITY.md": "SECURITY",
	"CHANGELOG.md": "CHANGELOG", "testdata/README.md": "testdata",
}

// site is the site that is written.
type site struct {
	root, dir string
	titles    map[string]string // of pages, by their names
}

func write(root, dir string) error {
	s := &site{root, dir, map[string]string{}}
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		return err
	}
	for _, page := range pages {
		if err := s.page("docs/"+filepath.Base(page), strings.TrimSuffix(filepath.Base(page), ".md")); err != nil {
			return err
		}
	}
	for from, name := range beside {
		if err := s.page(from, name); err != nil {
			return err
		}
	}
	if err := os.CopyFS(filepath.Join(dir, "src/images"), os.DirFS(filepath.Join(root, "docs/images"))); err != nil {
		return err
	}
	if err := s.put("src/assets/site.css", style); err != nil {
		return err
	}
	commands, err := s.commands()
	if err != nil {
		return err
	}
	return s.put("mkdocs.yml", slices.Concat(frame, []byte("docs_dir: src\nsite_dir: html\nnav:\n  - Overview: index.md\n"), s.nav(commands)))
}

// put writes a file of the site.
func (s *site) put(name string, text []byte) error {
	name = filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o666)
}

var (
	link  = regexp.MustCompile(`\]\(([^)\s#]+)(#[^)\s]*)?\)`)
	title = regexp.MustCompile(`(?m)^# (.+)$`)
	mark  = regexp.MustCompile(`(?m)^<!-- (begin|end) [a-z]+ -->\n`)
)

// page copies a page of the source tree. It changes links to other pages to their place in the
// site. It removes links to other files, because the site does not have them.
func (s *site) page(from, name string) error {
	text, err := os.ReadFile(filepath.Join(s.root, from))
	if err != nil {
		return err
	}
	s.titles[name] = name
	if m := title.FindSubmatch(text); m != nil {
		s.titles[name] = string(m[1])
	}
	text = mark.ReplaceAll(text, nil)
	text = link.ReplaceAllFunc(text, func(l []byte) []byte {
		m := link.FindSubmatch(l)
		if bytes.Contains(m[1], []byte("://")) {
			return l
		}
		target := filepath.Clean(filepath.Join(filepath.Dir(from), string(m[1])))
		base := strings.TrimSuffix(filepath.Base(target), ".md")
		switch {
		case beside[target] != "":
			return []byte("](" + beside[target] + ".md" + string(m[2]) + ")")
		case filepath.Dir(target) == "docs" && strings.HasSuffix(target, ".md"):
			return []byte("](" + base + ".md" + string(m[2]) + ")")
		case filepath.Dir(target) == "docs/images":
			return []byte("](images/" + filepath.Base(target) + ")")
		}
		return []byte("](" + source + ")")
	})
	text = unlinked.ReplaceAll(text, []byte("$1"))
	return s.put("src/"+name+".md", lists(text))
}

// source is the target of a link to a file that the site does not have, until the link is removed.
const source = "source-tree-only"

var unlinked = regexp.MustCompile(`\[([^\]]+)\]\(` + source + `\)`)

// lists puts an empty line before each list. GitHub does not need it, but the generator does.
func lists(text []byte) []byte {
	lines := strings.Split(string(text), "\n")
	var out []string
	fenced := false
	for i, line := range lines {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if !fenced && i > 0 && strings.HasPrefix(line, "- ") && lines[i-1] != "" && !strings.HasPrefix(lines[i-1], "- ") && !strings.HasPrefix(lines[i-1], "  ") {
			out = append(out, "")
		}
		out = append(out, line)
	}
	return []byte(strings.Join(out, "\n"))
}

// commands writes a page for each command and returns their names.
func (s *site) commands() (names []string, err error) {
	for _, c := range helptext.Commands() {
		name := "commands/" + c.Name()
		s.titles[name] = c.CommandPath()
		names = append(names, name)
		help, err := helptext.All(c, 100)
		if err == nil {
			err = s.put("src/"+name+".md", fmt.Appendf(nil, "# %s\n\n%s.\n\n```text\n%s```\n", c.CommandPath(), c.Short, help))
		}
		if err != nil {
			return nil, err
		}
	}
	return names, nil
}

// nav returns the navigation.
func (s *site) nav(commands []string) []byte {
	var b bytes.Buffer
	placed := map[string]bool{"index": true}
	entry := func(name string) {
		if s.titles[name] != "" && !placed[name] {
			placed[name] = true
			fmt.Fprintf(&b, "    - %q: %s.md\n", s.titles[name], name)
		}
	}
	for i, section := range sections {
		fmt.Fprintf(&b, "  - %q:\n", section.title)
		pages := section.pages
		if pages == nil {
			pages = commands
		}
		for _, name := range pages {
			entry(name)
		}
		if i == len(sections)-1 {
			for _, name := range slices.Sorted(maps.Keys(s.titles)) {
				entry(name)
			}
		}
	}
	return b.Bytes()
}
