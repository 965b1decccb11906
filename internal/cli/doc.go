// Package cli is the command line: one file per command, each with its
// options, its constructor and its run function. Streams, terminal facts,
// clock and engine are handed in, so that tests run it without a process.
//
// Data goes to standard output, messages to standard error. A terminal changes the
// look of the output, never its facts.
package cli
