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

// placeholder matches a {name} in a pattern.
var placeholder = regexp.MustCompile(`\{([^{}*]+)\}`)

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
	if _, err := s.descend("", 0); err != nil {
		return nil, err
	}
	if len(s.files) == 0 {
		return nil, fmt.Errorf("--pattern %q: no file has such a name; check the names and the directory", pattern)
	}
	return append(s.runs(), s.empty...), nil
}

// treeSearch finds the files that fit a pattern.
type treeSearch struct {
	root  string
	parts []string         // of the pattern
	upTo  []*regexp.Regexp // what a path of so many parts looks like
	names []string         // of the groups in them
	files []found
	plain map[string]bool // files found, without endings of compression
	empty []Input         // folders that hold no run
}

// found is a file or folder that fits, with the values of the names so far.
type found struct {
	path   string
	ofRun  string // the path with {host} in place of the host's name
	values []Factor
}

// value returns the value of a name; "" if it has none.
func (f *found) value(name string) string { return valueOf(f.values, name) }

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
	s.parts = strings.Split(path.Clean(rest), "/")
	form := "(?s)^" // a name may contain a newline
	for i, part := range s.parts {
		if strings.Contains(placeholder.ReplaceAllString(part, ""), "{") {
			return nil, fmt.Errorf("--pattern %q: a { without its name and }", pattern)
		}
		plain := placeholder.Split(part, -1)
		for k, p := range plain {
			plain[k] = strings.ReplaceAll(regexp.QuoteMeta(p), `\*`, "[^/]*?")
		}
		for _, m := range placeholder.FindAllStringSubmatch(part, -1) {
			s.names = append(s.names, m[1])
		}
		form += strings.Join(plain, "([^/]+?)")
		end := "$"
		if i == len(s.parts)-1 {
			end = compressed + "$"
		}
		re, err := regexp.Compile(form + end)
		if err != nil {
			return nil, fmt.Errorf("--pattern %q: %w", pattern, err)
		}
		s.upTo, form = append(s.upTo, re), form+"/"
	}
	if !slices.ContainsFunc(s.names, func(name string) bool { return !isRole(name) || name == "scenario" }) {
		return nil, fmt.Errorf("--pattern %q: there is no {scenario} in it, as in {scenario}/run{run}/client.pcap, and no factor, as in {scheduler}/{cc}/run{run}/client.pcap", pattern)
	}
	return s, nil
}

// descend matches the entries of a folder, whose path below the root ends with a slash, with the part of the
// pattern at depth. It returns how many files and empty folders it found.
func (s *treeSearch) descend(folder string, depth int) (n int, err error) {
	last := depth == len(s.parts)-1
	if s.parts[depth] == ".." && !last { // no entry of a folder
		return s.descend(folder+"../", depth+1)
	}
	entries, err := storage.ReadDir(cmp.Or(storage.Join(s.root, folder), "."))
	if errors.Is(err, fs.ErrNotExist) && depth > 0 {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		here, ok := s.match(folder+e.Name(), depth)
		if !ok || e.Name()[0] == '.' && s.parts[depth][0] != '.' {
			continue
		}
		if info, err := about(here.path, e); err == nil && info.IsDir() == last || err != nil && !last {
			continue
		}
		if last {
			n++
			s.addFile(here)
			continue
		}
		below, err := s.descend(folder+e.Name()+"/", depth+1)
		if below == 0 && s.isRun(here) {
			s.addEmpty(here, depth, err)
			below, err = 1, nil
		}
		if err != nil {
			return 0, err
		}
		n += below
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

// match returns the file or folder with a path below the root if it fits the pattern up to depth, and no
// name but scenario has two values in it.
func (s *treeSearch) match(path string, depth int) (f found, ok bool) {
	m := s.upTo[depth].FindStringSubmatchIndex(path)
	if m == nil {
		return f, false
	}
	f.path = storage.Join(s.root, path)
	ofRun, from := "", 0
	for i := 2; i < len(m); i += 2 {
		name, value := s.names[i/2-1], path[m[i]:m[i+1]]
		if known := f.value(name); known != "" && known != value && name != "scenario" {
			return f, false
		}
		if name == "host" {
			ofRun += path[from:m[i]] + "{host}"
			from = m[i+1]
		}
		f.values = append(f.values, Factor{name, value})
	}
	if f.ofRun = storage.Join(s.root, ofRun+path[from:]); from > 0 { // the captures of the other host may be compressed in another way
		f.ofRun = withoutCompression(f.ofRun)
	}
	return f, true
}

// addFile adds a file that fits.
func (s *treeSearch) addFile(f found) {
	if plain := withoutCompression(f.path); !s.plain[plain] {
		s.plain[plain] = true
		s.files = append(s.files, f)
	}
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
	for _, name := range s.names {
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
	in.Problem = fmt.Sprintf("folder %s holds nothing that fits %s", f.path, strings.Join(s.parts[depth+1:], "/"))
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
