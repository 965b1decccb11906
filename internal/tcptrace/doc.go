// Package tcptrace has the formats and definitions of tcptrace 6.6.7 and mptcptrace. It counts
// what tcptrace prints about a TCP connection, by the definitions of tcptrace, which differ from
// those of the report. It writes this in the formats of tcptrace, reads the output of tcptrace,
// writes the files of mptcptrace, and draws the xplot graphs of both programs.
package tcptrace
