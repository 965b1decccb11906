package plaintext

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"mpanalyze/internal/report"
	"mpanalyze/internal/textwrap"
)

// none stands for a value that the report does not have.
const none = "-"

// known returns the text of a value, or a dash if the report does not have it.
func known[T any](v *T, text func(T) string) string {
	if v == nil {
		return none
	}
	return text(*v)
}

// size is a number of bytes with three significant digits and a decimal unit.
func size(n int64) string {
	v, unit := float64(n), 0
	for v >= 999.5 && unit < len(sizeUnits)-1 {
		v /= 1000
		unit++
	}
	if unit == 0 {
		return strconv.FormatInt(n, 10) + " B"
	}
	return digits(v) + " " + sizeUnits[unit]
}

// dataOf returns the size of a direction's data, or a dash if the direction was not asked for.
func dataOf(d *report.ConnDir) string {
	if d == nil {
		return none
	}
	return known(d.Bytes, size)
}

// payloadOf returns the size of a direction's payload, and how many bytes of it were sent again.
// The size is a dash if the direction was not asked for.
func payloadOf(d *report.SubDir) (unique string, again int64) {
	if d == nil {
		return none, 0
	}
	return known(d.BytesUnique, size), d.RetransmittedBytes
}

var sizeUnits = [...]string{"B", "kB", "MB", "GB", "TB", "PB"}

// digits is v with three significant digits, but no fewer than the integer
// part has and no more than three decimals.
func digits(v float64) string {
	decimals := 0
	switch a := math.Abs(v); {
	case a < 0.9995:
		decimals = 3
	case a < 9.995:
		decimals = 2
	case a < 99.95:
		decimals = 1
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// percent is a share in percent.
func percent(p float64) string { return strconv.FormatFloat(p, 'f', 1, 64) + "%" }

// average is the mean of a stat.
func average(s report.Stat) string { return digits(s.Avg) }

func srtt(s report.SRTTStat) string { return digits(s.Avg) }

// rate is the mean of a rate.
func rate(s report.RateStat) string { return digits(s.Avg) }

// count is n, followed by its part of a whole in percent where that is known
// and n is not 0.
func count(n int64, part *float64) string {
	if n == 0 || part == nil {
		return strconv.FormatInt(n, 10)
	}
	return fmt.Sprintf("%d (%s)", n, percent(*part))
}

// seconds is a duration in seconds.
func seconds(s float64) string { return digits(s) + " s" }

// moment is a time to the millisecond, in UTC.
func moment(t report.Time) string {
	return time.Unix(0, int64(t)).UTC().Format("2006-01-02 15:04:05.000") + " UTC"
}

// endpoint is an address and port; IPv6 addresses stand in brackets.
func endpoint(e report.Endpoint) string {
	if strings.Contains(e.Addr, ":") {
		return "[" + Clean(e.Addr) + "]:" + strconv.Itoa(e.Port)
	}
	return Clean(e.Addr) + ":" + strconv.Itoa(e.Port)
}

// Clean is [textwrap.Clean].
func Clean(s string) string { return textwrap.Clean(s) }
