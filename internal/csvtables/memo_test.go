package csvtables

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"mpanalyze/internal/report"
)

// What a memo gives is what the plain functions do, also where two cells fall
// on one line of it, and where nothing says which cells are equal.
func TestMemo(t *testing.T) {
	var m memo
	for round := range 3 {
		for n := range 3000 {
			place := n % 1500 // more than there are lines
			c := report.Cell{Place: uint64(place), Connection: place % 50, Direction: report.A2B, Subflow: place%5 - 1, Path: fmt.Sprint("path, ", place%7)}
			if place%3 == 0 {
				c.Direction = report.B2A
			}
			if place == 0 {
				c.Connection = n + round
			}
			if got, want := string(m.cell(&c).text), string(appendCell(nil, &c)); got != want {
				t.Fatalf("cell %+v: %q, want %q", c, got, want)
			}
			at := int64(n/2)*1_000_000_007 - int64(round)
			if got, want := string(m.appendTime(nil, at)), string(appendTime(nil, at)); got != want {
				t.Fatalf("time %d: %q, want %q", at, got, want)
			}
		}
	}
}

// scratch returns a table whose rows taken gives back.
func scratch() *table { return &table{buf: make([]byte, 0, len(tableRoom{})), memo: new(memo)} }

// taken returns the only row of a table, which is then empty, without the end of
// its line.
func taken(t *table) string {
	row := string(t.buf[:len(t.buf)-1])
	t.buf = t.buf[:0]
	return row
}

// TestMemoOfSeries: values come again in three of four rows of a line, which
// other lines stand between.
func TestMemoOfSeries(t *testing.T) {
	table := scratch()
	long := []float64{0, -0.5, 1e300, math.NaN(), 20.123456, -9007199254.740991, 1.5}
	for n := range 20_000 {
		line := n % 1500
		r := report.SeriesRow{
			SeriesLine: &report.SeriesLine{Cell: &report.Cell{Connection: line, Direction: report.A2B}, Line: uint64(line), Metric: fmt.Sprint("m", line%7)},
			T:          int64(n / 3), Value: long[(n/1500/4+line)%len(long)],
		}
		want := appendTime(append(append(appendCell(nil, r.Cell), r.Metric...), ','), r.T)
		table.seriesRows([]report.SeriesRow{r})
		if got := taken(table); got != string(appendNumber(want, r.Value)) {
			t.Fatalf("row %+v: %q", r, got)
		}
	}
}

// TestMemoIsTaken: the text of a number stands, whatever else a row says.
func TestMemoIsTaken(t *testing.T) {
	table := scratch()
	m := table.memo
	first := report.SeriesLine{Cell: &report.Cell{Place: 7, Connection: 1}, Line: 9, Metric: "rtt"}
	table.seriesRows([]report.SeriesRow{{SeriesLine: &first}})
	want := string(m.cell(first.Cell).text) + taken(table)
	other := report.SeriesLine{Cell: &report.Cell{Place: 7, Connection: 2}, Line: 9, Metric: "rto"}
	table.seriesRows([]report.SeriesRow{{SeriesLine: &other}})
	if got := string(m.cell(other.Cell).text) + taken(table); got != want {
		t.Errorf("%q was made anew instead of %q", got, want)
	}
}

// TestBegin: a text comes back whole, whether it fits into the words or not, also
// where it is longer than what is free; there is a line behind it.
func TestBegin(t *testing.T) {
	var p phrase
	table := scratch()
	for _, n := range []int{0, 1, 7, 8, phraseRoom - 1, phraseRoom, phraseRoom + 1, 1000, 2 * tableBlock, 3} {
		text := make([]byte, n)
		for i := range text {
			text[i] = 'a' + byte(i%26)
		}
		p.keep(text)
		for _, before := range []int{0, 1, tableBlock - 1} {
			table.buf = table.buf[:before]
			line := table.begin(&p)
			line[0] = 'y'
			if got := string(table.buf[before : len(table.buf)+1]); got != string(text)+"y" {
				t.Errorf("%d octets behind %d: %q", n, before, got)
			}
		}
	}
}

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

// TestAppendInteger compares with the standard library.
func TestAppendInteger(t *testing.T) {
	for _, u := range numbers() {
		if got, want := string(appendUint([]byte("x"), u)), "x"+strconv.FormatUint(u, 10); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
		if got, want := string(appendSigned(nil, int64(u))), strconv.FormatInt(int64(u), 10); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
		if got, want := string(appendNanos(nil, u%1e9)), fmt.Sprintf(".%09d", u%1e9); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	}
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
			if got := string(appendSeconds(nil, at)); got != want {
				t.Fatalf("%d: %s, want %s", at, got, want)
			}
		}
	}
}

// TestAppendNumber compares with the rounding of the standard library.
func TestAppendNumber(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 0))
	values := []float64{0, math.Copysign(0, -1), 0.4999999999999999e-6, 0.5e-6, 1.5e-6, -0.5e-6, 9007199254.740991, 9007199254.740992, 1e300, math.Inf(1), math.NaN()}
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
		if got := string(appendNumber(nil, v)); got != want {
			t.Fatalf("%v: %s, want %s", v, got, want)
		}
	}
}
