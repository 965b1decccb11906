// Package traceevents writes the Trace Event Format, which Perfetto and Chrome's tracing page
// open: a process for each connection, a track for each subflow and each direction of it, with
// the states of time_account as slices; handovers and verdicts as slices of their own. Times
// count from the start of each connection, as every t_s of the report.
package traceevents
