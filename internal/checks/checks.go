package checks

// Status is the result of a check.
type Status string

// The results.
const (
	Passed  Status = "passed"
	Failed  Status = "failed"
	Unknown Status = "cannot tell" // what the check needs is absent; it does not count as passed
)

// Check is one condition and its result.
type Check struct {
	Name   string // the condition
	Status Status
	Lines  []string // what failed, or why it cannot be told, and where
}

// Add adds a line, and makes the check that failed, or cannot be judged, one that did not pass. A
// check that failed anywhere has failed.
func (c *Check) Add(status Status, line string) {
	if c.Status != Failed {
		c.Status = status
	}
	c.Lines = append(c.Lines, line)
}

// Suite is all checks of one command.
type Suite struct {
	Command string // as in "mpanalyze analyze"
	File    string // the file that was checked
	Checks  []Check
}

// count returns how many checks have a status.
func (s *Suite) count(of Status) (n int) {
	for i := range s.Checks {
		if s.Checks[i].Status == of {
			n++
		}
	}
	return n
}
