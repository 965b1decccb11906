package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mpanalyze/internal/extract"
)

// idRanges is the value of a flag: IDs of connections and ranges of them, separated by commas, as
// in 3,8,20-39. A flag that is given again adds to the list.
type idRanges struct {
	ranges []extract.IDs
	given  bool
}

var errIDs = errors.New("want ids of connections, 0 or more, as in 3 or 3,8,20-39; mpanalyze connections lists them")

// Set reads a list. The package pflag calls it.
func (v *idRanges) Set(text string) error {
	if !v.given {
		v.ranges, v.given = nil, true
	}
	for word := range strings.SplitSeq(text, ",") {
		from, to, ranged := strings.Cut(word, "-")
		if !ranged {
			to = from
		}
		first, err := strconv.ParseUint(from, 10, 31)
		last, err2 := strconv.ParseUint(to, 10, 31)
		if err != nil || err2 != nil || last < first {
			return errIDs
		}
		v.ranges = append(v.ranges, extract.IDs{First: int(first), Last: int(last)})
	}
	return nil
}

func (v *idRanges) String() string {
	var words []string
	for _, r := range v.ranges {
		word := strconv.Itoa(r.First)
		if r.Last > r.First {
			word = fmt.Sprintf("%d-%d", r.First, r.Last)
		}
		words = append(words, word)
	}
	return strings.Join(words, ",")
}

// Type returns the word that the help shows for the value.
func (*idRanges) Type() string { return "IDS" }

// one reports whether the list is one connection.
func (v *idRanges) one() bool { return len(v.ranges) == 1 && v.ranges[0].First == v.ranges[0].Last }

// list is the value of a flag: a list separated by commas. A flag that is given again adds to
// the list, as it does for the other flags that take several values.
type list struct {
	pflag.Value
	given bool
}

// Set implements [pflag.Value].
func (l *list) Set(text string) error {
	if l.given {
		text = l.String() + "," + text
	}
	l.given = true
	return l.Value.Set(text)
}

// listVar defines a flag of a list.
func listVar(c *cobra.Command, text *string, name, value, usage string) {
	c.Flags().StringVar(text, name, value, usage)
	flag := c.Flags().Lookup(name)
	flag.Value = &list{Value: flag.Value}
}

// size is a bound on memory, in bytes, on the command line, as in 512MiB.
type size int64

// sizeUnits holds the units of a size. A longer unit comes before a unit that is its end.
var sizeUnits = []struct {
	name  string
	shift int
}{{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}, {"K", 10}, {"M", 20}, {"G", 30}, {"T", 40}, {"B", 0}, {"", 0}}

// leastMemory is the least value of --max-memory, in bytes: any analysis needs the state of some
// hundred connections.
const leastMemory = 16 << 20

var errSize = errors.New("want a number of bytes, as in 512MiB or 2GiB")

// Set reads a size. The package pflag calls it.
func (s *size) Set(text string) error {
	for _, u := range sizeUnits {
		number, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || n < 0 || n > 1<<62>>u.shift {
			return errSize
		}
		*s = size(n << u.shift)
		return refuse(*s < leastMemory, "want at least %v", new(size(leastMemory)))
	}
	return errSize
}

func (s *size) String() string {
	for i := 3; i >= 0; i-- {
		if u := sizeUnits[i]; *s != 0 && *s%(1<<u.shift) == 0 {
			return strconv.FormatInt(int64(*s>>u.shift), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(*s), 10)
}

// Type returns the word that the help shows for the value.
func (*size) Type() string { return "SIZE" }
