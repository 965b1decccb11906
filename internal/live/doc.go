// Package live shows, while a capture is being read, what passed in each interval of its time:
// per connection and path the rate, the share, the smoothed round-trip time, losses, the
// receive window, what the data waited for, and verdicts as they arise.
//
// The engine calls a [Monitor] when a connection is opened or closed and when an interval ends.
// The monitor reads the counters of the trackers and the figures of package metrics, and
// subtracts their values at the end of the interval before. It reads no packet. The differences
// of all intervals add up to the figures of the report. [Interval] is the result; [Write] writes
// it as a line of JSON, [Screen] as a screen of text.
//
// The monitor keeps a few numbers for each open connection, and nothing for connections that
// have ended.
package live
