package campaign

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// compressed are the endings of compressed captures that a pattern need not
// name.
const compressed = `(?:\.(?:gz|zst|xz|lz4))?`

// Find looks for runs in a folder tree. In the pattern, a path with "/",
// {scenario} stands for the scenario's name (several are joined by "/"), {run}
// for the run's, any other {name} for a label of the run, and "*" for any text;
// none of them reaches over a "/". Files of one scenario and run are captures
// of one host. Files with endings of compression are found too; of a file that
// exists with and without, the first by name is taken.
func Find(pattern string) ([]Input, error) {
	s, err := parsePattern(filepath.ToSlash(pattern))
	if err != nil {
		return nil, err
	}
	if err := s.descend(s.root, 0, nil); err != nil {
		return nil, err
	}
	if len(s.found) == 0 {
		return nil, fmt.Errorf("pattern %q: no file fits it", pattern)
	}
	slices.SortStableFunc(s.found, func(a, b Input) int {
		return cmp.Or(natural(a.Scenario, b.Scenario), natural(a.Name, b.Name), labelOrder(a, b), natural(a.Files[0], b.Files[0]))
	})
	return s.merge(), nil
}

func labelOrder(a, b Input) int {
	return strings.Compare(fmt.Sprint(a.Labels), fmt.Sprint(b.Labels)) // fmt sorts the keys
}

// treeSearch finds the files that fit a pattern.
type treeSearch struct {
	root  string
	parts []*regexp.Regexp // a path component each
	names [][]string       // of the groups in it
	found []Input
	plain map[string]bool // files found, endings of compression cut off
}

func parsePattern(pattern string) (*treeSearch, error) {
	s := &treeSearch{plain: map[string]bool{}}
	if !strings.Contains(pattern, "{scenario}") {
		return nil, fmt.Errorf("pattern %q: has no {scenario}, as in {scenario}/run{run}/client.pcap", pattern)
	}
	rest := pattern
	if strings.HasPrefix(rest, "/") {
		s.root, rest = "/", strings.TrimLeft(rest, "/")
	}
	components := strings.Split(path.Clean(rest), "/")
	for i, c := range components {
		re, names, err := component(c, i == len(components)-1)
		if err != nil {
			return nil, fmt.Errorf("pattern %q: %w", pattern, err)
		}
		s.parts, s.names = append(s.parts, re), append(s.names, names)
	}
	return s, nil
}

// component turns a path component into an expression, and names its groups.
func component(text string, last bool) (*regexp.Regexp, []string, error) {
	var b strings.Builder
	var names []string
	b.WriteString("^")
	for text != "" {
		switch i := strings.IndexAny(text, "{*"); {
		case i < 0:
			b.WriteString(regexp.QuoteMeta(text))
			text = ""
		case text[i] == '*':
			b.WriteString(regexp.QuoteMeta(text[:i]) + ".*?")
			text = text[i+1:]
		default:
			name, after, ok := strings.Cut(text[i+1:], "}")
			if !ok || name == "" || strings.ContainsAny(name, "{*") {
				return nil, nil, errors.New("a { without its name and }")
			}
			b.WriteString(regexp.QuoteMeta(text[:i]) + "(.+?)")
			names, text = append(names, name), after
		}
	}
	if last {
		b.WriteString(compressed)
	}
	b.WriteString("$")
	re, err := regexp.Compile(b.String())
	return re, names, err
}

// descend matches the entries of a folder with the component of the pattern at depth;
// values are those of the groups so far.
func (s *treeSearch) descend(dir string, depth int, values [][2]string) error {
	at := dir
	if at == "" {
		at = "."
	}
	last := depth == len(s.parts)-1
	entries, err := os.ReadDir(at)
	if errors.Is(err, fs.ErrNotExist) && depth > 0 {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		m := s.parts[depth].FindStringSubmatch(e.Name())
		if m == nil {
			continue
		}
		full := filepath.Join(dir, e.Name())
		info, err := os.Stat(full) // follows links
		if err != nil || info.IsDir() == last {
			continue
		}
		here := slices.Clip(values)
		for i, name := range s.names[depth] {
			here = append(here, [2]string{name, m[i+1]})
		}
		if last {
			s.addFile(full, here)
		} else if err := s.descend(full, depth+1, here); err != nil {
			return err
		}
	}
	// ".." and "." are no entries of a folder.
	if name := strings.TrimSuffix(strings.TrimPrefix(s.parts[depth].String(), "^"), "$"); name == `\.\.` && !last {
		return s.descend(filepath.Join(at, ".."), depth+1, values)
	}
	return nil
}

// addFile adds a file that fits.
func (s *treeSearch) addFile(file string, values [][2]string) {
	plain := file
	for _, ending := range []string{".gz", ".zst", ".xz", ".lz4"} {
		plain = strings.TrimSuffix(plain, ending)
	}
	if s.plain[plain] {
		return
	}
	s.plain[plain] = true
	in := Input{Files: []string{file}, Labels: map[string]string{}}
	var scenario []string
	for _, v := range values {
		switch v[0] {
		case "scenario":
			scenario = append(scenario, v[1])
		case "run":
			in.Name = v[1]
		default:
			in.Labels[v[0]] = v[1]
		}
	}
	in.Scenario = strings.Join(scenario, "/")
	if in.Name == "" {
		in.Name = file
	}
	s.found = append(s.found, in)
}

// merge makes one input of adjacent files of one run.
func (s *treeSearch) merge() (out []Input) {
	for _, in := range s.found {
		if k := len(out) - 1; k >= 0 && out[k].Scenario == in.Scenario && out[k].Name == in.Name && labelOrder(out[k], in) == 0 {
			out[k].Files = append(out[k].Files, in.Files...)
			continue
		}
		out = append(out, in)
	}
	return out
}

// natural compares texts with numbers inside by the numbers' values: run2
// stands before run10.
func natural(a, b string) int {
	for a != "" && b != "" {
		x, y := leadingDigits(a), leadingDigits(b)
		if x == "" || y == "" {
			if a[0] != b[0] {
				return cmp.Compare(a[0], b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		p, q := strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
		if c := cmp.Or(cmp.Compare(len(p), len(q)), strings.Compare(p, q), cmp.Compare(len(x), len(y))); c != 0 {
			return c
		}
		a, b = a[len(x):], b[len(y):]
	}
	return cmp.Compare(len(a), len(b))
}

// leadingDigits returns the decimal digits that s begins with.
func leadingDigits(s string) string {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return s[:i]
}
