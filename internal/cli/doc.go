// Package cli is the command line: one file per command, each with its
// options, its constructor and its run function. The caller passes the streams,
// the properties of the terminal, the clock and the engine, so that tests need no process.
//
// Data goes to standard output, messages to standard error. A terminal changes the
// look of the output, never its content.
package cli
