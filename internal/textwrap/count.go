package textwrap

import (
	"fmt"
	"strings"
)

// Count returns a number with its noun: 1 run, 2 runs, 2 losses.
func Count[N int | int64](n N, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "s"):
		noun += "e"
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
