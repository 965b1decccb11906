package report

import (
	"cmp"
	"slices"
)

// NamedState is a state of [TimeAccount] by its name in reports.
type NamedState struct {
	Name string
	StateTime
}

// States returns the times of all states. The index of a state is its number in the series
// time_account.
func (x *TimeAccount) States() [11]NamedState {
	return [...]NamedState{
		{"undetermined", x.Undetermined},
		{"down", x.Down},
		{"recovery", x.Recovery},
		{"rwnd", x.Rwnd},
		{"window", x.Window},
		{"slow_start", x.SlowStart},
		{"path", x.Path},
		{"congestion_window", x.CongestionWindow},
		{"scheduler", x.Scheduler},
		{"application", x.Application},
		{"idle", x.Idle},
	}
}

// Longest returns the states that take this percentage of the time or more, the longest first.
func (x *TimeAccount) Longest(least float64) []NamedState {
	all := x.States()
	list := slices.DeleteFunc(all[:], func(s NamedState) bool { return s.Percent < least })
	slices.SortStableFunc(list, func(a, b NamedState) int { return cmp.Compare(b.MS, a.MS) })
	return list
}
