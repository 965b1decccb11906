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

	"mpanalyze/internal/storage"
)

// compressed matches the endings of compressed captures. A pattern need not contain them.
const compressed = `(?:\.(?:gz|zst|xz|lz4))?`

// Find looks for runs in a folder tree. The pattern is a path with "/". In it, a {name} stands
// for a part of the name of a file or folder, and "*" for any text; neither matches a "/".
//
// {scenario} is the name of the scenario (several are joined by "/"), {run} the name of the
// run; {host} separates the captures of the two hosts of a run. Any other {name} is a label of
// the run. Without {scenario} the others are factors, and a scenario is a combination of them.
// A {name} that occurs twice must have the same value. Files of the same run and the same
// {host} are captures of one host.
//
// Find also takes files with endings of compression; of a file that exists with and without,
// it takes the first by name. It takes hidden files only if the pattern begins with the dot.
// If the folder of a run holds no fitting file, the run is returned as an input with a
// problem. So are an empty folder and, where the pattern has {host}, a run that is not a pair.
func Find(pattern string) ([]Input, error) {
	s, err := parsePattern(filepath.ToSlash(pattern))
	if err != nil {
		return nil, err
	}
	if _, err := s.descend(s.root, 0, found{ofRun: s.root}); err != nil {
		return nil, err
	}
	if len(s.files) == 0 {
		return nil, fmt.Errorf("--pattern %q: no file has such a name; check the names and the directory", pattern)
	}
	return append(s.runs(), s.empty...), nil
}

// treeSearch finds the files that fit a pattern.
type treeSearch struct {
	root       string
	components []string         // of the pattern
	parts      []*regexp.Regexp // the same as expressions
	names      [][]string       // of the groups in them
	files      []found
	plain      map[string]bool // files found, without endings of compression
	empty      []Input         // folders that hold no run
}

// found is a file or folder that fits, with the values of the names so far.
type found struct {
	path   string
	ofRun  string // the path with {host} in place of the host's name
	values [][2]string
}

// value returns the value of a name; "" if it has none.
func (f *found) value(name string) string {
	for _, v := range f.values {
		if v[0] == name {
			return v[1]
		}
	}
	return ""
}

func parsePattern(pattern string) (*treeSearch, error) {
	s := &treeSearch{plain: map[string]bool{}}
	rest := pattern
	switch {
	case storage.Is(rest):
		bucket, path, query := storage.Split(rest)
		s.root, rest = bucket+"/"+query, path
	case strings.HasPrefix(rest, "/"):
		s.root, rest = "/", strings.TrimLeft(rest, "/")
	}
	s.components = strings.Split(path.Clean(rest), "/")
	for i, c := range s.components {
		re, names, err := component(c, i == len(s.components)-1)
		if err != nil {
			return nil, fmt.Errorf("--pattern %q: %w", pattern, err)
		}
		s.parts, s.names = append(s.parts, re), append(s.names, names)
	}
	if !slices.ContainsFunc(slices.Concat(s.names...), func(name string) bool { return !isRole(name) || name == "scenario" }) {
		return nil, fmt.Errorf("--pattern %q: there is no {scenario} in it, as in {scenario}/run{run}/client.pcap, and no factor, as in {scheduler}/{cc}/run{run}/client.pcap", pattern)
	}
	return s, nil
}

// component turns a path component into a regular expression, and returns the names of its
// groups.
func component(text string, last bool) (*regexp.Regexp, []string, error) {
	var b strings.Builder
	var names []string
	b.WriteString("(?s)^") // a name may contain a newline
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

// descend matches the entries of a folder with the component of the pattern at depth. It
// returns how many files and empty folders it found.
func (s *treeSearch) descend(dir string, depth int, above found) (n int, err error) {
	at := dir
	if at == "" {
		at = "."
	}
	last := depth == len(s.parts)-1
	entries, err := storage.ReadDir(at)
	if errors.Is(err, fs.ErrNotExist) && depth > 0 {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		m := s.parts[depth].FindStringSubmatchIndex(e.Name())
		if m == nil || e.Name()[0] == '.' && s.components[depth][0] != '.' {
			continue
		}
		here, ok := above.below(dir, e.Name(), s.names[depth], m)
		if info, err := about(here.path, e); !ok || err == nil && info.IsDir() == last || err != nil && !last {
			continue
		}
		if last {
			n += s.addFile(here)
			continue
		}
		below, err := s.descend(here.path, depth+1, here)
		if below == 0 && s.isRun(here) {
			s.addEmpty(here, depth, err)
			below, err = 1, nil
		}
		if err != nil {
			return 0, err
		}
		n += below
	}
	// ".." and "." are no entries of a folder.
	if s.components[depth] == ".." && !last {
		above.ofRun = filepath.Join(at, "..")
		return s.descend(above.ofRun, depth+1, above)
	}
	return n, nil
}

// about describes an entry of a folder; for a link, the target of the link.
func about(path string, e fs.DirEntry) (fs.FileInfo, error) {
	if storage.Is(path) {
		return e.Info() // from the list of entries, without a request for each
	}
	return os.Stat(path)
}

// below returns the entry of a folder whose name matched at m. It returns false if a name has
// two values.
func (f found) below(dir, entry string, names []string, m []int) (found, bool) {
	here := found{path: storage.Join(dir, entry), values: slices.Clip(f.values)}
	text, from := "", 0
	for i, name := range names {
		value := entry[m[2*i+2]:m[2*i+3]]
		if known := here.value(name); known != "" && known != value && name != "scenario" {
			return here, false
		}
		if name == "host" {
			text += entry[from:m[2*i+2]] + "{host}"
			from = m[2*i+3]
		}
		here.values = append(here.values, [2]string{name, value})
	}
	here.ofRun = storage.Join(f.ofRun, text+entry[from:])
	return here, true
}

// addFile adds a file that fits; it returns how many it added.
func (s *treeSearch) addFile(f found) int {
	plain := withoutCompression(f.path)
	if f.value("host") != "" { // the captures of the other host may be compressed in another way
		f.ofRun = withoutCompression(f.ofRun)
	}
	if !s.plain[plain] {
		s.plain[plain] = true
		s.files = append(s.files, f)
	}
	return 1
}

func withoutCompression(file string) string {
	for _, ending := range []string{".gz", ".zst", ".xz", ".lz4"} {
		file = strings.TrimSuffix(file, ending)
	}
	return file
}

// isRun reports whether a folder that fits should hold a run: it has the name of a run, or is
// empty. Other folders may have another purpose.
func (s *treeSearch) isRun(f found) bool {
	if f.value("run") == "" {
		entries, err := storage.ReadDir(f.path)
		return len(f.values) > 0 && err == nil && len(entries) == 0
	}
	for _, name := range slices.Concat(s.names...) {
		if name != "host" && f.value(name) == "" {
			return false
		}
	}
	return true
}

// addEmpty adds a folder at depth that fits but cannot be read or holds no file that fits.
func (s *treeSearch) addEmpty(f found, depth int, err error) {
	in := f.input()
	in.Files = nil
	in.Problem = fmt.Sprintf("folder %s holds nothing that fits %s", f.path, strings.Join(s.components[depth+1:], "/"))
	if err != nil {
		in.Problem = err.Error()
	}
	if f.value("run") == "" {
		in.Name = ""
	}
	s.empty = append(s.empty, in)
}

// CompareNames compares texts with numbers inside by the numbers' values, as people order
// names: run2 stands before run10.
func CompareNames(a, b string) int {
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
