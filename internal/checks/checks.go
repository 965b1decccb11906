package checks

import (
	"fmt"
	"slices"
	"time"

	"mpanalyze/internal/textwrap"
)

// Status is the result of a check.
type Status string

// The results.
const (
	Passed  Status = "passed"
	Failed  Status = "failed"
	Unknown Status = "cannot tell" // what the check needs is absent; it does not count as passed
)

// Check is one condition and what was found.
type Check struct {
	Name string              // the condition
	said map[Status][]string // what failed, or why it cannot be told, and where; none where it passed
	more map[Status]int      // what is not kept
}

// maxSaid is how many lines of a status a check keeps.
const maxSaid = 20

// Add adds a line. Of more than 20 of a status only their number is kept.
func (c *Check) Add(status Status, text string) {
	if c.said == nil {
		c.said, c.more = map[Status][]string{}, map[Status]int{}
	}
	if len(c.said[status]) == maxSaid {
		c.more[status]++
		return
	}
	c.said[status] = append(c.said[status], textwrap.Clean(text))
}

// Status returns the result. A check that failed anywhere has failed.
func (c *Check) Status() Status {
	for _, status := range []Status{Failed, Unknown} {
		if len(c.said[status]) > 0 {
			return status
		}
	}
	return Passed
}

// Lines returns what failed, or what cannot be told.
func (c *Check) Lines(status Status) []string {
	if n := c.more[status]; n > 0 {
		return append(slices.Clip(c.said[status]), fmt.Sprintf("and %d more", n))
	}
	return c.said[status]
}

// All returns what failed, then what cannot be told.
func (c *Check) All() []string { return slices.Concat(c.Lines(Failed), c.Lines(Unknown)) }

// Suite is all checks of one command.
type Suite struct {
	Command string // as in "mpanalyze analyze"
	File    string // the file that was checked
	Start   time.Time
	Took    time.Duration
	Checks  []Check
}

// count returns how many checks have each status.
func (s *Suite) count() map[Status]int {
	n := map[Status]int{}
	for i := range s.Checks {
		n[s.Checks[i].Status()]++
	}
	return n
}
