package decimal_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/decimal"
)

// numbers are those at which the count of digits changes, with neighbours, and
// many of every size.
func numbers() (all []uint64) {
	for p := uint64(1); p < 1e19; p *= 10 {
		all = append(all, p-1, p, p+1, 9*p, 5*p+3)
	}
	r := rand.New(rand.NewPCG(7, 0))
	for range 100_000 {
		all = append(all, r.Uint64()>>r.IntN(64))
	}
	return append(all, math.MaxUint64)
}

// TestSeconds: no digit is lost, and none beyond whole microseconds is written.
func TestSeconds(t *testing.T) {
	for _, u := range numbers() {
		ns := int64(u >> 1)
		for _, at := range []int64{ns, -ns, ns / 1000 * 1000} {
			want := fmt.Sprintf("%d.%09d", ns/1e9, ns%1e9)
			if at == ns/1000*1000 {
				want = fmt.Sprintf("%d.%06d", at/1e9, at%1e9/1000)
			} else if at%1000 == 0 {
				want = want[:len(want)-3]
			}
			if at < 0 {
				want = "-" + want
			}
			if got := string(decimal.AppendSeconds(nil, at)); got != want {
				t.Fatalf("%d: %s, want %s", at, got, want)
			}
		}
	}
}

// TestAppendRounded compares with the rounding of the standard library.
func TestAppendRounded(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 0))
	values := []float64{0, 1, -1, 99.9999995, 1e8, 1 << 53, 1<<53 + 2, -(1 << 53), 1.2345678901234567e17, math.Copysign(0, -1), 0.4999999999999999e-6, 0.5e-6, 1.5e-6, -0.5e-6, 9007199254.740991, 9007199254.740992, 1e300, math.Inf(1), math.NaN()}
	for range 100_000 {
		values = append(values, (r.Float64()-0.5)*math.Pow(10, float64(r.IntN(22)-8)), float64(r.IntN(2_000_000)-1_000_000)/2e6)
	}
	for _, v := range values {
		want := strconv.FormatFloat(v, 'f', -1, 64)
		if scaled := math.Round(v * 1e6); math.Abs(scaled) < 1<<53 {
			sign, n := "", int64(scaled)
			if n < 0 {
				sign, n = "-", -n
			}
			want = sign + strconv.FormatInt(n/1e6, 10)
			if n %= 1e6; n != 0 {
				want += strings.TrimRight(fmt.Sprintf(".%06d", n), "0")
			}
		}
		if got := string(decimal.AppendRounded(nil, v)); got != want {
			t.Fatalf("%v: %s, want %s", v, got, want)
		}
	}
}

// FuzzAppendRounded: what is written is the value to the sixth decimal, or beyond 2^53
// millionths, the value.
func FuzzAppendRounded(f *testing.F) {
	for _, v := range []float64{0, 1, -1, 0.5, 1e-6, 4e-7, -1e-9, 123456.789, 9e9, 1e10, 1e300, math.MaxFloat64, -0.000001} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v float64) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Skip("not in a report")
		}
		text := string(decimal.AppendRounded(nil, v))
		got, err := strconv.ParseFloat(text, 64)
		assert.NilError(t, err)
		if tolerance := 0.5000001e-6 + math.Abs(v)*1e-15; math.Abs(got-v) > tolerance {
			t.Errorf("%v was written as %s", v, text)
		}
	})
}
