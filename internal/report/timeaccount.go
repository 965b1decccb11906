package report

import (
	"cmp"
	"fmt"
	"slices"
)

// TimeAccount is what the time of a direction went to, of a subflow or of the connection. Each
// instant belongs to one state; the command explain has the rules.
type TimeAccount struct {
	// The time that is divided, ms.
	DurationMS float64 `json:"duration_ms"`
	// Data was outstanding, and nothing of the path answered for a retransmission timeout.
	Down StateTime `json:"down"`
	// A loss was being repaired.
	Recovery StateTime `json:"recovery"`
	// The receive window had no room for a segment.
	Rwnd StateTime `json:"rwnd"`
	// What was outstanding did not grow although paths and receive window had room: a send buffer, or a limit on the congestion window.
	Window StateTime `json:"window"`
	// The congestion window doubled in each round.
	SlowStart StateTime `json:"slow_start"`
	// The path carried what it can.
	Path StateTime `json:"path"`
	// In flight, and none of the other states.
	CongestionWindow StateTime `json:"congestion_window"`
	// The subflow had room, and new data left on others.
	Scheduler StateTime `json:"scheduler"`
	// There was room, and nothing new was sent.
	Application StateTime `json:"application"`
	// Nothing was outstanding.
	Idle StateTime `json:"idle"`
	// A capture at this place does not show the state.
	Undetermined StateTime `json:"undetermined"`
	// The subflow was in state scheduler, application, window or undetermined, and the next byte in order waited for another subflow.
	// Of a subflow, in a capture at the sender.
	RoomWhileWaiting *StateTime `json:"room_while_waiting"`
	// How it was found.
	Evidence Evidence `json:"evidence"`
	// Where the capture was taken. Away from the sender only some states can be told: the rest is undetermined.
	SeenAt SeenAt `json:"seen_at"`
}

// SeenAt is the place of a capture for the data of one direction.
type SeenAt string

// The places.
const (
	SeenAtSender   SeenAt = "sender"
	SeenAtReceiver SeenAt = "receiver"
	SeenBetween    SeenAt = "between"
)

// StateTime is the time of one state.
type StateTime struct {
	// Time, ms.
	MS float64 `json:"ms"`
	// The same as a percentage of the time that is divided.
	Percent float64 `json:"percent"`
}

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

// Shares returns the states that take this percentage of the time or more with their shares, the
// longest first.
func (x *TimeAccount) Shares(least float64) (out []string) {
	for _, s := range x.Longest(least) {
		out = append(out, fmt.Sprintf("%s %.0f%%", s.Name, s.Percent))
	}
	return out
}
