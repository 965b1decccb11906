package report

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/output"
)

// fill gives v and all below it arbitrary values: pointers and lists are nil half of the
// time.
func fill(r *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(r.Uint64()) >> r.IntN(64))
	case reflect.Float64:
		v.SetFloat([]float64{0, 1, 0.25, -3, math.Copysign(0, -1), r.NormFloat64()}[r.IntN(6)])
	case reflect.String:
		v.SetString([]string{"", "text", fmt.Sprint(r.IntN(1000)), "é\x00\xff"}[r.IntN(4)])
	case reflect.Pointer:
		if r.IntN(2) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(r, v.Elem())
		}
	case reflect.Slice:
		if r.IntN(2) > 0 {
			n := r.IntN(3)
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		for i := range v.Len() {
			fill(r, v.Index(i))
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(r, field)
		}
	}
}

// arbitrary returns a document in which every field takes some value.
func arbitrary(seed uint64, n int) *Document {
	d := &Document{Schema: SchemaName, Captures: List[Capture]{{File: "x"}}}
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range n {
		c, p := Connection{}, TCP{}
		fill(r, reflect.ValueOf(&c).Elem())
		fill(r, reflect.ValueOf(&p).Elem())
		c.ID, p.ID = i, i
		d.Connections, d.TCP = append(d.Connections, c), append(d.TCP, p)
	}
	return d
}

// keep puts the connections of a document into s, in an order of their own.
func keep(t *testing.T, s *Stored, d *Document, order []int) error {
	t.Helper()
	for _, i := range order {
		if err := s.AddConnection(&d.Connections[i], i); err != nil {
			return err
		}
		if err := s.AddTCP(&d.TCP[i], i, i%3 == 0); err != nil {
			return err
		}
	}
	s.Finish(d.Head())
	return nil
}

// same fails where s is not what d is, as a whole and one connection after the other.
func same(t *testing.T, s *Stored, d *Document) {
	t.Helper()
	whole, err := s.Document()
	assert.NilError(t, err)
	assert.Check(t, reflect.DeepEqual(whole, d), "the document is another one")
	for range 2 {
		for i := range d.Connections {
			c, err := s.ConnectionAt(i)
			assert.Assert(t, err == nil && reflect.DeepEqual(c, &d.Connections[i]), "connection %d: %v", i, err)
			plain, err := s.TCPAt(i)
			assert.Assert(t, err == nil && reflect.DeepEqual(plain, &d.TCP[i]), "tcp %d: %v", i, err)
		}
	}
}

// TestStored: what is stored is what was reported, in the order of the document, whether
// it fits into memory or not.
func TestStored(t *testing.T) {
	for seed := range uint64(6) {
		d := arbitrary(seed, 60)
		order := rand.New(rand.NewPCG(seed, 1)).Perm(60)
		for _, memory := range []int64{1, 10_000, 1_000_000, spillMemory} {
			s := NewStored(memory)
			assert.NilError(t, keep(t, s, d, order))
			same(t, s, d)
			want := []int{0, 3, 6}
			assert.Check(t, slices.Equal(s.Marked()[:3], want), "marked %v", s.Marked())
			assert.Check(t, (s.spill.file != nil) == (memory < 1_000_000), "of %d bytes in memory a file holds %d", memory, s.spill.filed)
			assert.Check(t, s.Close())
		}
	}
}

// TestStoredLarge: a connection that is larger than what is read at once, or than a block
// of memory, among small ones.
func TestStoredLarge(t *testing.T) {
	d := arbitrary(1, 8)
	for i, n := range []int{2 * windowBytes, 2 * spillBlock} {
		d.Connections[2+3*i].VantageEvidence = strings.Repeat("x", n)
	}
	for _, memory := range []int64{1, spillMemory} {
		s := NewStored(memory)
		assert.NilError(t, keep(t, s, d, []int{7, 6, 5, 4, 3, 2, 1, 0}))
		same(t, s, d)
		assert.Check(t, s.Close())
	}
}

// TestStoredAmended: changes are made to each connection whenever it is looked at.
func TestStoredAmended(t *testing.T) {
	d := arbitrary(2, 5)
	s, err := Store(d)
	assert.NilError(t, err)
	s.Amend(func(c *Connection) { c.DurationS++ }, func(c *TCP) { c.DurationS = 7 })
	Only(s, A2B)
	for i := range d.Connections {
		d.Connections[i].DurationS++
		d.TCP[i].DurationS = 7
	}
	Only(d, A2B)
	same(t, s, d)
}

// TestStoredLeavesNothing: the temporary file is gone once the report is closed, and
// where the system allows it, at once.
func TestStoredLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	s := NewStored(1)
	assert.NilError(t, keep(t, s, arbitrary(3, 10), []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}))
	left := func() int {
		files, err := os.ReadDir(dir)
		assert.NilError(t, err)
		return len(files)
	}
	assert.Check(t, s.spill.filed != 0 && (runtime.GOOS != "linux" || left() == 0), "%d bytes in a file, %d names", s.spill.filed, left())
	err := s.Close()
	assert.Check(t, err == nil && left() == 0, "%v, %d files are left", err, left())
}

// TestStoredWithoutFile: where there is no room for a temporary file, that is an error
// which says where.
func TestStoredWithoutFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	t.Setenv("TMPDIR", dir)
	s := NewStored(1)
	err := keep(t, s, arbitrary(4, 3), []int{0, 1, 2})
	assert.Check(t, errors.As(err, new(*output.Error)) && strings.Contains(err.Error(), dir), "error %v", err)
	again := s.AddConnection(&Connection{}, 9)
	assert.Check(t, errors.Is(again, err), "after it: %v", again)
	assert.Check(t, s.Close())
}

// TestStoredDamaged: a file that does not hold what was written is an error.
func TestStoredDamaged(t *testing.T) {
	s := NewStored(1)
	assert.NilError(t, keep(t, s, arbitrary(5, 4), []int{0, 1, 2, 3}))
	defer s.Close()
	s.conns.index[1].at++
	_, err := s.ConnectionAt(1)
	assert.Check(t, err != nil, "no error")
	_, err = s.Document()
	assert.Check(t, err != nil, "no error of the document")
}

// TestMemoryOfEnded: connections that have ended hold little memory: an entry of the
// index each, and records up to a bound.
func TestMemoryOfEnded(t *testing.T) {
	const n = 20_000
	text := strings.Repeat("x", 3000)
	live := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	s := NewStored(0)
	before, bytes := live(), 0
	for i := range n {
		assert.NilError(t, s.AddConnection(&Connection{VantageEvidence: text + fmt.Sprint(i)}, i))
		bytes += len(s.buf)
	}
	held := live() - before
	defer s.Close()
	assert.Assert(t, bytes >= 2*spillMemory, "%d bytes are too few for this test", bytes)
	most := int64(spillMemory + spillMemory/4 + n*2*24)
	assert.Check(t, held <= most, "%d connections of %d bytes each hold %d bytes of memory, more than %d", n, bytes/n, held, most)
	runtime.KeepAlive(s)
}
