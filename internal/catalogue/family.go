package catalogue

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Families is a set of families of metrics. What is in none of them is basic,
// and always derived: what a connection is, counts, round trips, throughput,
// goodput and shares, losses and reinjections.
type Families uint8

// The families.
const (
	FamilyDelays   Families = 1 << iota // from data to its DATA_ACK, and what waits for lower data
	FamilyOrder                         // the order in which data passes
	FamilyWindows                       // receive windows, and what controllers would have made of them
	FamilyVerdicts                      // handovers and verdicts
	nFamilies      = iota
)

// AllFamilies are all of them.
const AllFamilies = 1<<nFamilies - 1

var familyNames = [nFamilies]string{"delays", "order", "windows", "verdicts"}

// The names of sets.
const (
	everyFamily = "all"
	noFamily    = "basic"
)

// restsOn is what is derived with a family, by its place in familyNames: a
// verdict on a path that is waited for weighs it by the delays, and the use of
// the receive window by what was offered.
var restsOn = [nFamilies]Families{3: FamilyDelays | FamilyWindows}

// Unasked is why metrics of a family are absent that nobody asked for.
const Unasked = "not asked for (--metrics)"

// FamilyNames returns what [ParseFamilies] takes: names of sets, and of
// families.
func FamilyNames() []string { return append([]string{everyFamily, noFamily}, familyNames[:]...) }

// ParseFamilies reads which families are asked for: "all", "basic" for none, or
// names separated by commas. A family brings along what it rests on. The error
// names each name that is none, and the one that may have been meant, or all.
func ParseFamilies(list string) (Families, error) {
	switch list {
	case everyFamily:
		return AllFamilies, nil
	case noFamily:
		return 0, nil
	}
	var asked Families
	var errs []error
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		i := slices.Index(familyNames[:], name)
		if i < 0 {
			said := fmt.Sprintf("want %s, %s, or some of: %s", everyFamily, noFamily, strings.Join(familyNames[:], ", "))
			if name == everyFamily || name == noFamily {
				said = "it stands alone; others are " + strings.Join(familyNames[:], ", ")
			} else if near := Near(name, FamilyNames()); len(near) > 0 {
				said = "did you mean " + strings.Join(near, ", ") + "?"
			}
			errs = append(errs, fmt.Errorf("no family of metrics %q; %s", name, said))
			continue
		}
		asked |= 1<<i | restsOn[i]
	}
	return asked, errors.Join(errs...)
}

// String returns the set as [ParseFamilies] reads it.
func (f Families) String() string {
	switch f {
	case AllFamilies:
		return everyFamily
	case 0:
		return noFamily
	}
	var names []string
	for i, name := range familyNames {
		if f>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

// MarshalText implements [encoding.TextMarshaler].
func (f Families) MarshalText() ([]byte, error) { return []byte(f.String()), nil }
