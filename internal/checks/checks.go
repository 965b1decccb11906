package checks

import "time"

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
	Name  string // the condition
	Lines []Line // none where it passed
}

// Line says what failed, or why it cannot be told, and where.
type Line struct {
	Status Status
	Text   string
}

// Add adds a line.
func (c *Check) Add(status Status, text string) { c.Lines = append(c.Lines, Line{status, text}) }

// Status returns the result. A check that failed anywhere has failed.
func (c *Check) Status() Status {
	out := Passed
	for _, l := range c.Lines {
		if out != Failed {
			out = l.Status
		}
	}
	return out
}

// texts returns the lines without their status.
func (c *Check) texts() (out []string) {
	for _, l := range c.Lines {
		out = append(out, l.Text)
	}
	return out
}

// Suite is all checks of one command.
type Suite struct {
	Command string // as in "mpanalyze analyze"
	File    string // the file that was checked
	Start   time.Time
	Took    time.Duration
	Checks  []Check
}

// count returns how many checks have a status.
func (s *Suite) count(of Status) (n int) {
	for i := range s.Checks {
		if s.Checks[i].Status() == of {
			n++
		}
	}
	return n
}
