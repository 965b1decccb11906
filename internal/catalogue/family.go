package catalogue

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Families is a set of families of metrics. A metric of no family is basic, and is always
// computed: what kind of connection it is, counts, round trips, throughput, goodput and
// shares, losses and reinjections.
type Families uint8

// The families.
const (
	FamilyDelays   Families = 1 << iota // time from data to its DATA_ACK, and time that data waits for data before it
	FamilyOrder                         // the order in which data passes the capture
	FamilyWindows                       // receive windows, and the windows that congestion controllers would have had
	FamilyVerdicts                      // handovers, and verdicts
	nFamilies      = iota
)

// AllFamilies is the set of all families.
const AllFamilies = 1<<nFamilies - 1

var familyNames = [nFamilies]string{"delays", "order", "windows", "verdicts"}

// The names of sets.
const (
	everyFamily = "all"
	noFamily    = "basic"
)

// restsOn has, by the index in familyNames, which other families a family needs: a verdict
// that names a path which data waits for uses the delays, and the use of the receive window
// uses the windows.
var restsOn = [nFamilies]Families{3: FamilyDelays | FamilyWindows}

// Unasked is the reason for the absence of metrics whose family the user did not ask for.
const Unasked = "not asked for (--metric)"

// FamilyNames returns the names that [ParseFamilies] accepts: of sets, and of families.
func FamilyNames() []string { return append([]string{everyFamily, noFamily}, familyNames[:]...) }

// ParseFamilies reads which families the user asks for: "all", "basic" for none, or names
// separated by commas. It adds the families that these need. The error names each word that
// is no family, and suggests a name that is nearly the same, or lists all.
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
			said := fmt.Sprintf("; want %s, %s, or some of: %s", everyFamily, noFamily, strings.Join(familyNames[:], ", "))
			if name == everyFamily || name == noFamily {
				said = "; it stands alone; others are " + strings.Join(familyNames[:], ", ")
			} else {
				said = cmp.Or(DidYouMean(name, FamilyNames()), said)
			}
			errs = append(errs, fmt.Errorf("no family of metrics %q%s", name, said))
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

// UnmarshalText reads the name of a family alone, or "basic".
func (f *Families) UnmarshalText(text []byte) error {
	if *f = 0; string(text) == noFamily {
		return nil
	}
	i := slices.Index(familyNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("no family of metrics %q", text)
	}
	*f = 1 << i
	return nil
}
