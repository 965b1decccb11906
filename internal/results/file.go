package results

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unique"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/output"
	"mpanalyze/internal/report"
	"mpanalyze/internal/storage"
)

// filed is a result in a file: the names of its figures are packed.
type filed struct {
	*Result
	Run *filedRun `json:"run"`
}

type filedRun struct {
	*campaign.Run
	Packed json.RawMessage `json:"packed,omitempty"` // [campaign.Packed]
	Names  json.RawMessage `json:"names,omitempty"`
}

// sumField stands at the end of a result, before the hash of all that is before it.
const sumField = `,"sum":"`

// Append appends the result as a line of JSON. The names of its figures are written out, for other
// programs.
func (r *Result) Append(dst []byte) ([]byte, error) { return appendSum(dst, r) }

// appendFiled appends the result as a line of JSON, as a file has it.
func (r *Result) appendFiled(dst []byte) ([]byte, error) {
	f := filed{Result: r}
	if r.Run != nil {
		packed, err := json.Marshal(campaign.Pack(r.Run.Names))
		if err != nil {
			return dst, err
		}
		f.Run = &filedRun{Run: r.Run, Packed: packed}
	}
	return appendSum(dst, &f)
}

// appendSum appends a value as a line of JSON that ends with the hash of the text before.
func appendSum(dst []byte, value any) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return dst, err
	}
	text = text[:len(text)-1] // without the brace
	hash := sha256.Sum256(text)
	dst = append(append(dst, text...), sumField...)
	return append(hex.AppendEncode(dst, hash[:]), "\"}\n"...), nil
}

// checkSum returns an error unless a line has the hash of its text.
func checkSum(line []byte) error {
	at := bytes.LastIndex(line, []byte(sumField))
	if at < 0 {
		return errors.New("has no checksum")
	}
	hash := sha256.Sum256(line[:at])
	if string(line[at+len(sumField):]) != hex.EncodeToString(hash[:])+`"}` {
		return errors.New("was changed since it was written: its checksum is another one")
	}
	return nil
}

// Write writes the result into a file, whole or not at all.
func (r *Result) Write(file string) error {
	text, err := r.appendFiled(nil)
	if err != nil {
		return err
	}
	return output.Write(file, func(w io.Writer) error { _, err := w.Write(text); return err })
}

// Load reads the result in a file. It returns nil if there is no file or no complete result.
func (k *Reader) Load(file string) (r *Result) {
	n := 0
	err := k.file(file, func(one *Result, _ []byte) error { r, n = one, n+1; return nil })
	if err != nil || n != 1 {
		return nil
	}
	return r
}

// Listed returns the names of the entries of a directory of object storage. It returns nil for
// a directory of the system, and for a server that cannot list objects.
func Listed(dir string) (map[string]bool, error) {
	if !storage.Is(dir) {
		return nil, nil
	}
	entries, err := storage.ReadDir(dir)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, nil
	}
	names := map[string]bool{}
	for _, e := range entries {
		names[e.Name()] = true
	}
	if errors.Is(err, fs.ErrNotExist) { // nothing is there yet
		err = nil
	}
	return names, err
}

// Files returns the files that hold results: each named file, and all files in each named
// directory. In directories it leaves out hidden files and files that begin with an underscore,
// because other programs use such files as marks.
func Files(names []string) (all []string, err error) {
	for _, name := range names {
		info, e := storage.Stat(name)
		if e != nil {
			err = errors.Join(err, e)
			continue
		}
		if !info.IsDir() {
			all = append(all, name)
			continue
		}
		entries, e := storage.ReadDir(name)
		err = errors.Join(err, e)
		for _, entry := range entries {
			if n := entry.Name(); !strings.HasPrefix(n, ".") && !strings.HasPrefix(n, "_") && isFile(name, entry) {
				all = append(all, storage.Join(name, n))
			}
		}
	}
	return all, err
}

// isFile reports whether an entry of a directory is a file, or a link to one.
func isFile(dir string, entry fs.DirEntry) bool {
	if entry.Type()&fs.ModeSymlink == 0 {
		return entry.Type().IsRegular()
	}
	info, err := os.Stat(filepath.Join(dir, entry.Name())) // object storage has no links
	return err == nil && info.Mode().IsRegular()
}

// Reader reads results. It holds what they have in common: most runs have the same names of figures, made
// in the same way. Several goroutines may use one.
type Reader struct {
	mutex  sync.Mutex
	names  map[string]figures // by the packed form of their names
	makers map[string]*report.MadeBy
	room   []float64 // for values of the next results: one large slice takes less than many small ones
}

// roomOfValues is how many values are allocated at once.
const roomOfValues = 1 << 17

// figures are the names of figures, and what values they can have.
type figures struct {
	names  []string
	bounds *campaign.Bounds
}

// NewReader returns a reader that has read nothing.
func NewReader() *Reader {
	return &Reader{names: map[string]figures{}, makers: map[string]*report.MadeBy{}}
}

// longestResult bounds the length of a result, in bytes.
const longestResult = 64 << 20

// file gives the results of a file, a line for each, to take. The line is valid until take returns.
func (k *Reader) file(name string, take func(r *Result, line []byte) error) error {
	f, err := storage.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, longestResult)
	for n := 1; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		r, err := k.result(lines.Bytes())
		if err != nil {
			return fmt.Errorf("%s: result %d %w; remove the file and run mpanalyze task again", name, n, err)
		}
		if r.from = name; n > 1 {
			r.from = fmt.Sprintf("%s, result %d", name, n)
		}
		if err := take(r, lines.Bytes()); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// result reads a result.
func (k *Reader) result(line []byte) (*Result, error) {
	f := filed{Result: &Result{}}
	if err := json.Unmarshal(line, &f); err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	r := f.Result
	if r.Schema != SchemaName {
		return nil, fmt.Errorf("is no result of mpanalyze task: schema is %q, not %q", r.Schema, SchemaName)
	}
	if err := checkSum(line); err != nil {
		return nil, err
	}
	share(&r.List, &r.Program)
	if f.Run != nil {
		if r.Run = f.Run.Run; r.Run == nil {
			r.Run = &campaign.Run{}
		}
		run := r.Run
		share(&run.Content, &r.Content)
		for _, list := range [][]string{run.Paths, run.AllPaths, run.Addresses, run.Captures} {
			for i := range list {
				share(&list[i])
			}
		}
		if err := k.share(r.Run, f.Run); err != nil {
			return nil, err
		}
	}
	return r, r.check()
}

// share has equal texts share their memory.
func share(texts ...*string) {
	for _, t := range texts {
		*t = unique.Make(*t).Value()
	}
}

// share gives a run its names, and shares memory with other runs.
func (k *Reader) share(run *campaign.Run, f *filedRun) (err error) {
	key := string(f.Packed) + string(f.Names)
	making, _ := json.Marshal(run.MadeBy) // of texts and numbers
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if n := len(run.Values); len(k.room) < n {
		k.room = make([]float64, max(roomOfValues, n))
	}
	n := copy(k.room, run.Values)
	run.Values, k.room = k.room[:n:n], k.room[n:]
	if maker := k.makers[string(making)]; maker != nil {
		run.MadeBy = maker
	} else {
		k.makers[string(making)] = run.MadeBy
	}
	known, found := k.names[key]
	switch {
	case found:
	case f.Packed != nil:
		p := &campaign.Packed{}
		if err = json.Unmarshal(f.Packed, p); err == nil {
			known.names, err = p.Unpack(len(run.Values))
		}
	case f.Names == nil:
		err = errors.New("has figures without names")
	default:
		err = json.Unmarshal(f.Names, &known.names)
	}
	if err != nil {
		return err
	}
	if run.Names = known.names; !found {
		run.Share()
		known.bounds = campaign.BoundsOf(run.Names)
		k.names[key] = known
	}
	if len(run.Names) != len(run.Values) {
		return fmt.Errorf("has %d names for %d figures", len(run.Names), len(run.Values))
	}
	if i := known.bounds.Impossible(run.Values); i >= 0 {
		return fmt.Errorf("says that %s is %v, which no capture gives", run.Names[i], run.Values[i])
	}
	return nil
}
