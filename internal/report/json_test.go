package report

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A time is written as the library writes it.
func TestTimeText(t *testing.T) {
	for _, ns := range []int64{0, 1, -1, 1e18 + 123456789, 1.7e18, 951782400e9, math.MaxInt64, math.MinInt64, 1230768000e9 - 1} {
		want := time.Unix(0, ns).UTC().Format("2006-01-02T15:04:05.000000000Z")
		if got := Time(ns).String(); got != want {
			t.Errorf("%d ns: %s, want %s", ns, got, want)
		}
	}
}

// Numbers of tables are rounded to millionths, half away from zero, and end in no zero.
func TestAppendNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", math.Copysign(0, -1): "0", 1: "1", -1: "-1", 1.5: "1.5", -0.25: "-0.25", 100: "100", 0.000001: "0.000001",
		0.0000004: "0", -0.0000004: "0", 0.0000005: "0.000001", -0.0000005: "-0.000001", 2.697557333333: "2.697557", 9.9999999: "10",
		1234567.0000001: "1234567", 10.05: "10.05", 1e9 + 0.25: "1000000000.25", 1e15: "1000000000000000", 1.5e300: "15" + strings.Repeat("0", 299),
		-123456789012.5: "-123456789012.5", math.Inf(1): "+Inf",
	} {
		if got := string(AppendNumber(nil, v)); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		v := r.NormFloat64() * math.Pow(10, float64(r.IntN(9)))
		got, err := strconv.ParseFloat(string(AppendNumber(nil, v)), 64)
		if err != nil || math.Abs(got-v) > 0.5000001e-6+math.Abs(v)*1e-15 {
			t.Fatalf("%v was written as %v, %v", v, got, err)
		}
	}
}
