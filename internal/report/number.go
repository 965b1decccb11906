package report

import (
	"math"
	"strconv"
)

// AppendNumber appends v as tables and lists have it: rounded to the sixth decimal, the
// nanosecond of a value in ms and the bit per second of one in Mbit/s, without zeros at
// the end. The shortest form that reads back as v would cost several times as much, and
// spell out the noise behind.
func AppendNumber(b []byte, v float64) []byte {
	const micro, decimals = 1e6, 6
	scaled := v * micro
	if !(math.Abs(scaled) < 1<<53) { // beyond exact integers of millionths, or none
		return strconv.AppendFloat(b, v, 'f', -1, 64)
	}
	n := int64(math.Round(scaled))
	if n < 0 {
		b, n = append(b, '-'), -n
	}
	b = strconv.AppendInt(b, n/micro, 10)
	rest := n % micro
	if rest == 0 {
		return b
	}
	b = append(b, ".000000"...)
	for i := len(b) - 1; rest > 0; i-- {
		b[i] += byte(rest % 10)
		rest /= 10
	}
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	return b
}
