// Package tcptrace speaks the language of tcptrace 6.6.7 and mptcptrace: it
// gathers what tcptrace prints of a TCP connection by tcptrace's definitions,
// which differ from the report's, writes it in tcptrace's formats, reads
// tcptrace's own output back, and draws the xplot graphs of both programs.
package tcptrace
