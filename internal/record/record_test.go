package record_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/record"
)

type named string

type entry struct{ Name, Why string }

type entries []entry

type inner struct {
	N    int64
	Text named
}

type outer struct {
	inner
	Plain   inner
	I       int
	F       float64
	Yes     bool
	PI      *int
	PF      *float64
	PB      *bool
	PS      *named
	PInner  *inner
	PList   *[]inner
	Numbers []float64
	Ints    []int
	Texts   []string
	Deep    []inner
	Shared  entries
	Again   *outer
}

func newCodec() *record.Codec[outer] {
	return record.NewCodec[outer](record.NewDictionary(), reflect.TypeFor[entries]())
}

// fill gives v and all below it arbitrary values, of which many are zero, nil or empty.
func fill(r *rand.Rand, v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(r.Uint64()) >> r.IntN(64) * int64(r.IntN(2)))
	case reflect.Float64:
		v.SetFloat([]float64{0, math.Copysign(0, -1), 1, -2.5, 1e300, math.Inf(1), 1.0 / 3, r.NormFloat64()}[r.IntN(8)])
	case reflect.String:
		v.SetString(strings.Repeat("text ", r.IntN(3)) + string(rune('a'+r.IntN(26))))
	case reflect.Pointer:
		if r.IntN(2) > 0 && depth < 4 {
			v.Set(reflect.New(v.Type().Elem()))
			if r.IntN(2) > 0 {
				fill(r, v.Elem(), depth+1)
			}
		}
	case reflect.Slice:
		if r.IntN(2) > 0 {
			v.Set(reflect.MakeSlice(v.Type(), r.IntN(4), 4))
		}
		for i := range v.Len() {
			fill(r, v.Index(i), depth)
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			if field.CanSet() {
				fill(r, field, depth)
			}
		}
	}
}

func random(seed uint64) *outer {
	v := new(outer)
	fill(rand.New(rand.NewPCG(seed, 1)), reflect.ValueOf(v).Elem(), 0)
	return v
}

// TestRoundTrip: what is read is what was written, in new memory and in memory that was
// used before.
func TestRoundTrip(t *testing.T) {
	c := newCodec()
	reused := c.NewMemory()
	var b []byte
	for seed := range uint64(2000) {
		want := random(seed)
		b = c.Append(b[:0], want)
		var got, again outer
		if err := c.Decode(b, &got, c.NewMemory()); err != nil || !reflect.DeepEqual(&got, want) {
			t.Fatalf("seed %d: %v\n%+v\nwant\n%+v", seed, err, got, want)
		}
		reused.Reuse()
		if err := c.Decode(b, &again, reused); err != nil || !reflect.DeepEqual(&again, want) {
			t.Fatalf("seed %d, in used memory: %v", seed, err)
		}
	}
}

// TestNilAndZero: nil is not a pointer to zero, and not an empty list; minus zero keeps
// its sign.
func TestNilAndZero(t *testing.T) {
	c := newCodec()
	want := outer{PI: new(0), PS: new(named("")), PInner: new(inner), PList: new([]inner), Ints: []int{}, F: math.Copysign(0, -1)}
	var got outer
	if err := c.Decode(c.Append(nil, &want), &got, c.NewMemory()); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v: %+v", err, got)
	}
	if got.PF != nil || got.Numbers != nil || got.Ints == nil || *got.PList != nil || !math.Signbit(got.F) {
		t.Errorf("%+v", got)
	}
}

// TestLargeThenSmall: memory that was used for a large record is not searched for each small
// record that follows, and nothing of the large one shows.
func TestLargeThenSmall(t *testing.T) {
	c := newCodec()
	large, small := outer{Deep: make([]inner, 10_000)}, outer{Deep: make([]inner, 3)}
	for i := range large.Deep {
		large.Deep[i] = inner{int64(i), "x"}
	}
	m := c.NewMemory()
	for _, want := range []*outer{&large, &small, &large} {
		var got outer
		m.Reuse()
		if err := c.Decode(c.Append(nil, want), &got, m); err != nil || !reflect.DeepEqual(&got, want) {
			t.Fatalf("%d items: %v", len(want.Deep), err)
		}
	}
}

// TestDamage: a record that was cut, or in which a byte was changed, is an error.
func TestDamage(t *testing.T) {
	c := newCodec()
	for seed := range uint64(20) {
		good := c.Append(nil, random(seed))
		var v outer
		for n := range good {
			if err := c.Decode(good[:n], &v, c.NewMemory()); !errors.Is(err, record.ErrDamaged) {
				t.Fatalf("seed %d, the first %d of %d bytes: %v", seed, n, len(good), err)
			}
			bad := bytes.Clone(good)
			bad[n] ^= byte(1 + seed*12)
			if err := c.Decode(bad, &v, c.NewMemory()); !errors.Is(err, record.ErrDamaged) {
				t.Fatalf("seed %d, byte %d of %d changed: %v", seed, n, len(good), err)
			}
		}
	}
}

// TestDamageBehindChecksum: bytes without a meaning are an error too, even if their checksum is
// right.
func TestDamageBehindChecksum(t *testing.T) {
	c := newCodec()
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		b := make([]byte, r.IntN(60))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		var v outer
		_ = c.Decode(record.Summed(b), &v, c.NewMemory()) // it may mean something by chance
	}
	var v outer
	if err := c.Decode(record.Summed(bytes.Repeat([]byte{0xff}, 50)), &v, c.NewMemory()); !errors.Is(err, record.ErrDamaged) {
		t.Errorf("error %v", err)
	}
}

// TestTextsThatComeAgain: a text that repeats is stored as a number from the second time on.
// Other texts are in their record alone.
func TestTextsThatComeAgain(t *testing.T) {
	c := newCodec()
	long := strings.Repeat("again ", 30)
	sizes := make([]int, 4)
	for i := range sizes {
		sizes[i] = len(c.Append(nil, &outer{Texts: []string{long}}))
	}
	assert.Check(t, sizes[0] >= len(long) && sizes[1] <= sizes[0]-len(long)+4 && sizes[3] <= sizes[1], "records of %d bytes", sizes)
}

// TestSharedLists come back as the memory that they are.
func TestSharedLists(t *testing.T) {
	c := newCodec()
	all := entries{{"a", "b"}, {"c", "d"}}
	var x, y outer
	for _, v := range []*outer{&x, &y} {
		assert.NilError(t, c.Decode(c.Append(nil, &outer{Shared: all}), v, c.NewMemory()))
	}
	assert.Check(t, &x.Shared[0] == &all[0] && &y.Shared[0] == &all[0] && cap(x.Shared) == 2, "the lists are copies")
}

// TestDictionaryIsBounded: however many texts and lists come again, the records are
// right.
func TestDictionaryIsBounded(t *testing.T) {
	words := record.NewDictionary()
	c := record.NewCodec[outer](words, reflect.TypeFor[entries]())
	for i := range 30_000 {
		text := strings.Repeat(string(rune('a'+i%26)), 40) + string(rune(i))
		want := outer{Texts: []string{text, text, text}, Shared: entries{{text, ""}}}
		var got outer
		if err := c.Decode(c.Append(nil, &want), &got, c.NewMemory()); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%d: %v", i, err)
		}
	}
	if texts, lists, n := words.Sizes(); texts > 1<<14 || lists > 1<<12 || n > 1<<20 {
		t.Errorf("%d texts, %d lists, %d bytes", texts, lists, n)
	}
}

// TestReuseAllocatesNothing: in memory that was used before a record without texts of its
// own costs no allocation.
func TestReuseAllocatesNothing(t *testing.T) {
	c := newCodec()
	v := &outer{PI: new(5), PF: new(1.5), PInner: &inner{N: 3}, Deep: make([]inner, 8), Numbers: []float64{1, 2, 1.0 / 3}}
	b, m := c.Append(nil, v), c.NewMemory()
	var got outer
	if n := testing.AllocsPerRun(100, func() {
		m.Reuse()
		assert.NilError(t, c.Decode(b, &got, m))
		b = c.Append(b[:0], v)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
