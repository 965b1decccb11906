package cli

import (
	"errors"
	"strconv"
	"strings"

	"mpanalyze/internal/conn"
)

// size is a number of bytes on the command line, as in 512MiB.
type size int64

// sizeUnits holds the units of a size. A longer unit comes before a unit that is its end.
var sizeUnits = []struct {
	name  string
	shift int
}{{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}, {"K", 10}, {"M", 20}, {"G", 30}, {"T", 40}, {"B", 0}, {"", 0}}

// leastMemory is the least value of --max-memory, in bytes: enough for the state of some
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
		return nil
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

// checkMemory refuses a bound on memory that is too small for any analysis.
func checkMemory(s size) error {
	return refuse(s < leastMemory, "--max-memory %v: want at least %v", &s, new(size(leastMemory)))
}

// defaultMemory is the bound unless the user sets one.
const defaultMemory = size(conn.DefaultMaxState)
