package catalogue

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A scale turns a number of another unit into a metric's own: number * by / over.
type scale struct {
	name     string
	by, over float64
}

// scales holds, by the units of metrics, the units that a quantity may have. The metric's own
// unit comes first.
var scales = map[string][]scale{
	"ms": {{"ms", 1, 1}, {"ns", 1, 1e6}, {"us", 1, 1e3}, {"µs", 1, 1e3}, {"s", 1e3, 1}, {"min", 60e3, 1}},
	"Mbit/s": {
		{"Mbit/s", 1, 1},
		{"bit/s", 1, 1e6},
		{"kbit/s", 1, 1e3},
		{"Gbit/s", 1e3, 1},
		{"bps", 1, 1e6},
		{"kbps", 1, 1e3},
		{"Mbps", 1, 1},
		{"Gbps", 1e3, 1},
		{"B/s", 8, 1e6},
		{"kB/s", 8, 1e3},
		{"MB/s", 8, 1},
		{"GB/s", 8e3, 1},
	},
	"percent": {{"percent", 1, 1}, {"%", 1, 1}},
	"bytes": {
		{"bytes", 1, 1},
		{"B", 1, 1},
		{"kB", 1e3, 1},
		{"MB", 1e6, 1},
		{"GB", 1e9, 1},
		{"KiB", 1 << 10, 1},
		{"MiB", 1 << 20, 1},
		{"GiB", 1 << 30, 1},
	},
}

// ParseQuantity reads a number with a unit and returns it in the given unit of a metric. Without
// a unit the number is in that unit already. unit is empty for a number without one.
func ParseQuantity(text, unit string) (float64, error) {
	number, name := splitQuantity(strings.TrimSpace(text))
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, fmt.Errorf("%q: want a number%s", text, orWithUnit(unit))
	}
	if name == "" || name == unit {
		return v, nil
	}
	for _, s := range scales[unit] {
		if s.name == name {
			return v * s.by / s.over, nil
		}
	}
	if unit == "" {
		return 0, fmt.Errorf("%q: want a number without a unit", text)
	}
	return 0, fmt.Errorf("%q: the unit %q does not fit; want %s", text, name, strings.Join(unitNames(unit), ", "))
}

// splitQuantity splits a quantity before its unit.
func splitQuantity(text string) (number, unit string) {
	at := strings.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune("0123456789.+-eE", r) })
	if at < 0 {
		return text, ""
	}
	return text[:at], strings.TrimSpace(text[at:])
}

// orWithUnit gives an example of a number with a unit.
func orWithUnit(unit string) string {
	if unit == "" {
		return ""
	}
	return ", alone or with its unit, as in 5" + strings.TrimSuffix(" "+unit, " percent")
}

// unitNames returns the units that a quantity of this unit may have.
func unitNames(unit string) []string {
	if len(scales[unit]) == 0 {
		return []string{unit}
	}
	var names []string
	for _, s := range scales[unit] {
		names = append(names, s.name)
	}
	return names
}

// ParseAmount reads an amount by which something may differ: a quantity in a unit, or a percentage.
func ParseAmount(text, unit string) (v float64, percent bool, err error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	if percent {
		unit = ""
	}
	if v, err = ParseQuantity(number, unit); err == nil && v < 0 {
		err = fmt.Errorf("%q is below 0", number)
	}
	return v, percent, err
}
