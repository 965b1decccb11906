// Package differential holds what mpanalyze reads in real captures against
// what other programs read in them: each field of each packet against tshark,
// each TCP connection against tcptrace, each row of mptcptrace's files against it;
// xplot reads the graphs. It has tests only.
//
// Where the two disagree, either mpanalyze is wrong and gets mended, or the
// disagreement has a name here, with the reason and, where one of the two must
// be wrong, the packet that shows which. An exception that no capture needs any
// more fails the tests. differences.md tells the same to users.
//
// The captures are those of testdata/sessions, a quarter of them, and, where it is
// there, named ones of a folder ../shared/captures beside the repository: some of
// these, none with -short. With MPANALYZE_TESTS=all, as make release-check sets it, all
// are compared, and only then are exceptions judged.
//
// A capture that another program cannot read is skipped with the program's message.
// A bundled one fails the test: all programs read those.
package differential
