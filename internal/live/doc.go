// Package live tells, while a capture is being read, what passed in each interval of
// its time: per connection and path the rate, the share, the smoothed round-trip time,
// losses, the receive window, what the data waited for, and verdicts as they arise.
//
// A [Monitor] is told of connections as they are opened and closed, and of the ends of
// intervals. It reads the counters of the trackers and the figures of package metrics,
// takes the difference to what they were an interval ago, and looks at no packet. The
// differences of all intervals add up to the figures of the report. [Interval] is the
// result; [Write] writes it as a line of JSON, [Screen] as a screen of text.
//
// It keeps a few numbers for each open connection, and nothing of those that have ended.
package live
