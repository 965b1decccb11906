// Package clockstep finds where the clock of a capture was set while it ran, and
// takes the step out of the capture times that follow, before anything is
// measured.
//
// Three things show a step: capture times that go back in the order of the file,
// the TCP timestamps that the hosts write (RFC 7323, Section 4.1), and data that
// was in flight across a jump and was neither late nor sent again. A pause shows
// none of these: while all hosts are silent, the clocks of their timestamps go on.
package clockstep
