// Package clockstep finds where the clock that stamped a capture was set while
// it ran, and takes the step out of the stamps that follow, before anything is
// measured.
//
// Three things show a step: stamps that go back in the order of the file, the
// timestamps that the hosts write into their packets (RFC 7323, Section 4.1),
// and data that was in flight across a jump and was neither late nor sent again.
// A pause is none of these: while all hosts are silent their timestamps go on.
package clockstep
