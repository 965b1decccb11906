package mutate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
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

	"mpanalyze/internal/cli"
	"mpanalyze/internal/mutate"
	"mpanalyze/internal/testrun"
)

// session is what one host captured.
type session struct {
	name  string // below testdata
	files []string
	host  string
	whole func() (*bundle, error) // the capture and the reports on it, once
}

// bundle is a capture and what the program says of it.
type bundle struct {
	capture *mutate.Capture
	leaves  [2]leaves
}

// views are the commands whose documents are compared.
var views = [2]string{"analyze", "why"}

// unlike are files that cannot be written otherwise, and why.
var unlike = map[string]string{
	"cases/negative-times-1.pcap.zst": "it is cut within a block",
	"cases/negative-times-2.pcap.zst": "its packets are of two clocks",
	"cases/live-negative.pcap.zst":    "its packets are of two clocks",
}

// sessionsOf returns the bundled captures in an order that does not change. Files of one host for
// each interface are one capture.
func sessionsOf(t *testing.T) (all []*session) {
	t.Helper()
	var names []string
	err := filepath.WalkDir(sessions, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".zst") && strings.Contains(path, ".pcap") && unlike[strings.TrimPrefix(path, sessions)] == "" {
			names = append(names, path)
		}
		return err
	})
	assert.NilError(t, err)
	slices.Sort(names)
	of := map[string]*session{}
	for _, file := range names {
		host, _, _ := strings.Cut(filepath.Base(file), ".")
		name := filepath.Dir(file) + "/" + host
		s := of[name]
		if s == nil {
			s = &session{name: strings.TrimPrefix(name, sessions)}
			if host == "client" || host == "server" {
				s.host = host
			}
			of[name] = s
			all = append(all, s)
		}
		s.files = append(s.files, file)
	}
	for _, s := range all {
		s.whole = sync.OnceValues(func() (*bundle, error) { return bundled(t, s) })
	}
	return all
}

// bundled reads a session, and what the program says of it.
func bundled(t *testing.T, s *session) (*bundle, error) {
	c, err := mutate.ReadAll(s.files...)
	b := &bundle{capture: c}
	for i, view := range views {
		if err == nil {
			b.leaves[i], err = leavesOf(run(t, append([]string{view, "--json"}, s.files...)))
		}
	}
	return b, err
}

// leaves are the numbers, texts and truth values of a document by their names.
type leaves map[string]any

// leavesOf returns the leaves of what a command printed.
func leavesOf(r result) (leaves, error) {
	if r.panicked != "" || r.status != cli.ExitOK && r.status != cli.ExitDamaged {
		return nil, fmt.Errorf("status %d: %s%s", r.status, r.err, r.panicked)
	}
	var doc any
	d := json.NewDecoder(strings.NewReader(r.out))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("%w: %s", err, r.err)
	}
	all := leaves{}
	all.add("", doc)
	return all, nil
}

// add adds the leaves of a value. Elements with a code are named by it, and not by their place, so
// that one more of them moves no other.
func (all leaves) add(name string, v any) {
	switch x := v.(type) {
	case map[string]any:
		for key, value := range x {
			all.add(strings.TrimPrefix(name+"."+key, "."), value)
		}
	case []any:
		count := map[string]int{}
		for i, value := range x {
			at := fmt.Sprintf("%s[%d]", name, i)
			if object, ok := value.(map[string]any); ok {
				if code, ok := object["code"].(string); ok {
					at = fmt.Sprintf("%s.%s[%d]", name, code, count[code])
					count[code]++
				}
			}
			all.add(at, value)
		}
	default:
		all[name] = v
	}
}

var (
	indices  = regexp.MustCompile(`\[\d+\]`)
	numbered = regexp.MustCompile(`packet \d+`)
)

// TestMetamorphic: a figure does not depend on how the same packets were numbered, wrapped, written
// or captured. Each transformation is tried on a few small sessions or on all.
func TestMetamorphic(t *testing.T) {
	all := sessionsOf(t)
	small := slices.DeleteFunc(slices.Clone(all), func(s *session) bool {
		about, err := os.Stat(s.files[0])
		return err != nil || about.Size() > 150_000
	})
	for i := range mutate.Transformations {
		x := &mutate.Transformations[i]
		t.Run(x.Name, func(t *testing.T) {
			t.Parallel()
			if len(x.Pack) > 0 {
				if _, err := exec.LookPath(x.Pack[0]); err != nil {
					t.Skipf("no %s", x.Pack[0])
				}
			}
			applied := 0
			for k := range all {
				if testrun.All() {
					applied += transformed(t, x, all[k])
				} else if applied < 1 {
					applied += transformed(t, x, small[(i*5+k)%len(small)])
				}
			}
			assert.Check(t, applied != 0, "it applies to no session")
		})
	}
}

// transformed transforms a session and compares the documents. It returns 1, or 0 if there is
// nothing to transform.
func transformed(t *testing.T, x *mutate.Transformation, s *session) int {
	t.Helper()
	b, err := s.whole()
	assert.NilError(t, err, "%v", s.name)
	c := &mutate.Transformed{Capture: b.capture.Clone(), Host: s.host}
	if x.Excepted(s.name) || x.Change != nil && !x.Change(c) {
		return 0
	}
	args, in := []string{"--json"}, io.Reader(strings.NewReader(""))
	files := x.Written(c.Capture)
	for i, file := range files {
		if len(x.Pack) > 0 {
			file = packed(t, x.Pack, file)
		}
		if files[i] = file; x.Stdin {
			args = append(args, "-")
			continue
		}
		name := filepath.Join(t.TempDir(), fmt.Sprintf("%d.pcap", i))
		assert.NilError(t, os.WriteFile(name, file, 0o666))
		args = append(args, name)
	}
	for i, view := range views {
		if x.Stdin {
			in = bytes.NewReader(files[0])
		}
		got, err := leavesOf(runWith(t, in, slices.Concat([]string{view}, x.Flags, args)))
		if err != nil {
			t.Errorf("%s: %s: %v", s.name, view, err)
			continue
		}
		if diff := differences(x, c, b.leaves[i], got, len(s.files) > 1); len(diff) > 0 {
			t.Errorf("%s: %s: %d leaves differ: \n%s", s.name, view, len(diff), strings.Join(diff[:min(len(diff), 12)], "\n"))
		}
	}
	return 1
}

// packed returns what a command makes of a file.
func packed(t *testing.T, command []string, file []byte) []byte {
	t.Helper()
	cmd := testrun.Command(t, command[0], command[1:]...)
	cmd.Stdin = bytes.NewReader(file)
	out, err := cmd.Output()
	assert.NilError(t, err, "%v", command)
	return out
}

// differences returns the leaves that differ and may not. What is said of files is not compared
// where there were several.
func differences(x *mutate.Transformation, c *mutate.Transformed, before, after leaves, several bool) (all []string) {
	names := maps.Clone(before)
	maps.Copy(names, after)
	replace, renumbered := c.Replacer(), x.Allowed("evidence.packet")
	for _, name := range slices.Sorted(maps.Keys(names)) {
		want, got := before[name], after[name]
		if text, ok := want.(string); ok {
			want = replace.Replace(text)
		}
		if n, ok := want.(json.Number); ok && strings.HasSuffix(name, ".port") {
			if other, ok := c.Ports[n.String()]; ok {
				want = json.Number(other)
			}
		}
		if renumbered {
			want, got = withoutNumbers(want), withoutNumbers(got)
		}
		if want != got && !x.Allowed(indices.ReplaceAllString(name, "")) && !x.Allowed(name) && !(several && strings.HasPrefix(name, "captures[")) {
			all = append(all, fmt.Sprintf("%s: %v, want %v", name, got, want))
		}
	}
	return all
}

// withoutNumbers returns a text without the numbers of packets.
func withoutNumbers(v any) any {
	if text, ok := v.(string); ok {
		return numbered.ReplaceAllString(text, "packet N")
	}
	return v
}
