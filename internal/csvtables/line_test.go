package csvtables

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"mpanalyze/internal/report"
)

// TestStamps: times that come again, that share their tenths of a second or
// not, and those of which a clock cannot tell.
func TestStamps(t *testing.T) {
	var stamps [3]stamp
	var p line
	r := rand.New(rand.NewPCG(9, 0))
	for n := range 100_000 {
		at := r.Int64() >> r.IntN(63)
		switch n % 8 {
		case 0:
			at = -at
		case 1:
			at = report.NoTime
		case 2:
			at = []int64{0, -1, 99_999_999, 100_000_000, stampEnd - 1, stampEnd, math.MaxInt64}[r.IntN(7)]
		}
		for i := range stamps {
			begin := spot(r.IntN(200))
			end := stamps[i].put(&p, begin, at)
			if got, want := string(p[begin:end]), string(appendTime(nil, at)); got != want {
				t.Fatalf("%d: %q, want %q", at, got, want)
			}
			at += int64(r.IntN(2))
		}
	}
}

// TestHeads: numbers that share all but their last digits with the one before,
// or do not, in both ways.
func TestHeads(t *testing.T) {
	var number, count head
	var p line
	for _, u := range numbers() {
		for _, n := range []int64{int64(u), int64(u) + 1, int64(u / 7)} {
			want := strconv.FormatInt(n, 10) + ","
			if got := string(p[9:number.putInt(&p, 9, n)]); got != want {
				t.Fatalf("%q, want %q", got, want)
			}
			if got := string(p[:count.putCount(&p, 0, n)]); got != want {
				t.Fatalf("%q, want %q", got, want)
			}
		}
	}
}

// TestExtents: length and kind of a chunk change alone.
func TestExtents(t *testing.T) {
	var e extent
	var p line
	for _, c := range []struct {
		length int64
		kind   report.ChunkKind
		want   string
	}{
		{0, report.ChunkFirst, "0,first,"},
		{1, report.ChunkFirst, "1,first,"},
		{1, report.ChunkFirst, "1,first,"},
		{1, report.ChunkRetransmission, "1,retransmission,"},
		{extentEnd - 1, report.ChunkFirst, "999999999,first,"},
		{extentEnd, report.ChunkFirst, "1000000000,first,"},
		{extentEnd, report.ChunkReinjection, "1000000000,reinjection,"},
		{-1, report.ChunkFirst, "-1,first,"},
		{1400, report.ChunkFirst, "1400,first,"},
	} {
		if got := string(p[5:e.put(&p, 5, c.length, c.kind)]); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestChunkRows compares rows with those made of plain functions, of one or two
// subflows at either end; at the last the numbers are the longest there are, and
// the words behind them still within the line.
func TestChunkRows(t *testing.T) {
	table := scratch()
	r := rand.New(rand.NewPCG(3, 0))
	time := func(now int64) int64 {
		if r.IntN(4) == 0 {
			return report.NoTime
		}
		return now + r.Int64N(1e9)
	}
	for n := range int64(20_000) {
		row := report.ChunkRow{
			Cell:   &report.Cell{Place: 1 + uint64(n%3), Connection: 1, Direction: report.A2B, Subflow: int(n % 3), Path: []string{"", "wifi", "a path that has a name as long as it is of no use, but for tests"}[n%3]},
			Packet: 9990 + n, DSN: 1 + n*30_001, SSN: 1 + n*10_001, Length: 1400 + n/1000, Kind: report.ChunkFirst, Sent: n * 1e6,
			Acked: time(n * 1e6), DataAcked: time(n * 1e6), Arrived: report.NoTime, Delivered: report.NoTime,
		}
		switch {
		case n%5 == 0:
			row.DataAcked = row.Acked
		case n%7 == 0:
			row.Arrived, row.Delivered = time(n*1e6), time(n*1e6)
		case n%11 == 0:
			row.Kind, row.Sent = report.ChunkReinjection, report.NoTime
		}
		if n >= 19_990 {
			least := int64(math.MinInt64 + 1)
			row.Packet, row.DSN, row.SSN, row.Length, row.Kind = math.MaxInt64, least, least, math.MaxInt64, report.ChunkRetransmission
			row.Sent, row.Acked, row.DataAcked, row.Arrived, row.Delivered = least, least, least+1, least, least
		}
		want := appendInt(appendInt(appendInt(appendCell(nil, row.Cell), row.Packet), row.DSN), row.SSN)
		want = append(append(appendInt(want, row.Length), row.Kind...), ',')
		want = appendTime(appendTime(appendTime(want, row.Sent), row.Acked), row.DataAcked)
		want = appendSeconds(appendTime(want, row.Arrived), row.Delivered)
		table.chunkRows([]report.ChunkRow{row})
		if got := taken(table); got != string(want) {
			t.Fatalf("%+v: %q, want %q", row, got, want)
		}
	}
}
