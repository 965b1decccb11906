package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"mpanalyze/internal/conn"
)

// size is a number of bytes on the command line, as in 512MiB.
type size int64

// The units of a size, the longest first where one ends like another.
var sizeUnits = []struct {
	name  string
	shift int
}{{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}, {"K", 10}, {"M", 20}, {"G", 30}, {"T", 40}, {"B", 0}, {"", 0}}

// leastMemory is the least that --max-memory takes: the state of some hundred
// connections.
const leastMemory = 16 << 20

var errSize = errors.New("want a number of bytes, as in 512MiB or 2GiB")

// Set reads a size; it serves the flag.
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

// Type is what help calls the value.
func (*size) Type() string { return "SIZE" }

// checkMemory refuses a bound on memory that no analysis could keep.
func checkMemory(s size) error {
	if s < leastMemory {
		least := size(leastMemory)
		return fmt.Errorf("--max-memory %v: want at least %v", &s, &least)
	}
	return nil
}

// defaultMemory is the bound unless the user sets one.
const defaultMemory = size(conn.DefaultMaxState)
