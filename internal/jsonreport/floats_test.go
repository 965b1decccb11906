package jsonreport

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"
)

// A number that is written again, at once or later, also after another number used its place in
// the cache, has the text that encoding/json gives it.
func TestFloatCache(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	pool := []float64{0, math.Copysign(0, -1), 7, 9, 10, -3, 1e6, 1 << 60, 20.024, -0.5, 1e-7, 1e21, math.MaxFloat64, 5e-324, 1.0 / 3, -1.0 / 3}
	for range 4 * knownFloats { // several for each place
		pool = append(pool, (r.Float64()-0.3)*math.Pow(10, float64(r.IntN(40)-12)))
	}
	var cache floatCache
	b := make([]byte, 0, floatRoom)
	for range 50_000 {
		v := pool[r.IntN(len(pool))]
		for range 1 + r.IntN(3) {
			want, err := json.Marshal(v)
			assert.NilError(t, err)
			if b = cache.append(b[:0], v); string(b) != string(want) {
				t.Fatalf("%s, want %s", b, want)
			}
		}
	}
}
