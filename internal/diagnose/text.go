package diagnose

import (
	"fmt"
	"strconv"
	"time"

	"mpanalyze/internal/report"
)

// durationText writes a time given in nanoseconds for people.
func durationText(ns int64) string {
	switch d := time.Duration(ns); {
	case d >= 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d >= time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	case d >= 100*time.Millisecond:
		return fmt.Sprintf("%.0f ms", d.Seconds()*1e3)
	case d >= 100*time.Microsecond:
		return fmt.Sprintf("%.1f ms", d.Seconds()*1e3)
	default:
		return fmt.Sprintf("%.1f µs", d.Seconds()*1e6)
	}
}

// pathText names a subflow by its id and its path.
func pathText(id int, s *report.Subflow) string {
	return "subflow " + strconv.Itoa(id) + " (" + s.Path + ")"
}

func percent(part, whole int64) float64 {
	if whole <= 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}
