// Package clockstep finds where the clock of a capture was set while the capture ran. It
// takes the step out of the later capture times before anything is measured.
//
// Three things show a step: capture times that go back in the order of the file, the TCP
// timestamps of the hosts (RFC 7323, Section 4.1), and data that was in flight across a
// jump and was neither late nor sent again. A pause shows none of these: while all hosts
// are silent, their timestamp clocks go on.
package clockstep
