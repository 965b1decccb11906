package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

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
