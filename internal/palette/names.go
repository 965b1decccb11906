package palette

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strings"

	"mpanalyze/internal/report"
)

// Names has a number for each name of a path, or of a scenario. The number says which colour it
// has.
type Names map[string]int

// Numbered gives different numbers to names. The number follows from the name alone, as long as
// no other name has the same preference. So a name keeps its number whatever the order is, and
// mostly also in a figure of a part of the names. If two names prefer the same number, the one
// that is first in the alphabet gets it, but names of the tables below come before all others.
func Numbered(names []string) Names {
	order := slices.Clone(names)
	slices.SortFunc(order, func(a, b string) int { // usual is below 0 for a name of no table
		return cmp.Or(cmp.Compare(min(usual(b), 0), min(usual(a), 0)), strings.Compare(a, b))
	})
	out, used := Names{}, [Colours]int{} // how many names have each colour
	for _, name := range slices.Compact(order) {
		n := preferred(name)
		for i := range Colours { // the nearest of the colours that are used least
			if next := (preferred(name) + i) % Colours; used[next] < used[n] {
				n = next
			}
		}
		out[name] = n + Colours*used[n]
		used[n]++
	}
	return out
}

// Number returns the number of a name. A name that is not among the others has the number that
// it prefers.
func (n Names) Number(name string) int {
	if i, ok := n[name]; ok {
		return i
	}
	return preferred(name)
}

// tables have the usual names of scenarios and of paths: congestion controls, schedulers, and
// networks. Names of one table prefer different numbers.
var tables = [...][Colours]string{
	{"lia", "olia", "balia", "wvegas", "cubic", "reno", "bbr"},
	{"default", "roundrobin", "redundant", "blest", "ecf", "burst", "backup"},
	{"minrtt", "rr", "red", "peekaboo", "stms", "daps", "otias"},
	{"wifi", "lte", "ethernet", "satellite", "fibre", "dsl", "5g"},
	{"wlan", "4g", "lan", "sat", "fiber", "cable", "nr"},
	{"", "3g", "wired", "leo", "", "gprs", ""},
}

// usual returns the number that the tables give to a name, or -1.
func usual(name string) int {
	for i := range tables {
		if n := slices.Index(tables[i][:], strings.ToLower(name)); name != "" && n >= 0 {
			return n
		}
	}
	return -1
}

// preferred returns the number that a name prefers. Names that differ only in a number, as
// path1 and path2 or the addresses of neighbouring networks, prefer neighbouring colours.
func preferred(name string) int {
	if n := usual(name); n >= 0 {
		return n
	}
	letters, sum, digits := make([]byte, 0, len(name)), 0, 0
	for _, c := range []byte(name) {
		if c >= '0' && c <= '9' {
			digits = (10*digits + int(c-'0')) % Colours
			continue
		}
		sum, digits = sum+digits, 0
		if c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80 {
			letters = append(letters, c)
		}
	}
	base := usual(string(letters))
	switch {
	case len(letters) == 0:
		base = 0
	case base < 0:
		h := fnv.New32a()
		h.Write(letters)
		base = int(h.Sum32() % uint32(Colours))
	}
	return (base + sum + digits) % Colours
}

// PathsOf returns the names of all paths of reports, also of those that a figure does not show.
// So a choice of connections does not change the colours.
func PathsOf(documents ...*report.Document) (names []string) {
	for _, d := range documents {
		for i := range d.Connections {
			c := &d.Connections[i]
			for j := range c.Subflows {
				names = append(names, c.Subflows[j].Path)
			}
			names = append(names, slices.DeleteFunc(c.PathLabels(), func(label string) bool { return label == "" })...)
		}
	}
	return names
}
