// Package engine runs an analysis from files to report. It connects reader,
// decoder, tracker, metrics and report.
//
// An analysis of the captures of one host has up to three goroutines of this package:
//
//   - The reader reads packets, decodes them and puts them in order. It owns the
//     capture, the decoder and all fields of [reader].
//   - The tracker, which is the goroutine of the caller, gives the segments to the
//     table of connections. It owns the table, all observers and the metrics of open
//     connections. While the table processes packets of different connections at the same
//     time, further goroutines have some of the connections.
//   - The reporter makes reports of connections that have ended. It owns the builder
//     of the report, and the metrics of each connection that it was sent.
//
// Batches of segments pass from reader to tracker over one channel and come back over
// another, to be used again. The goroutine that holds a batch may write to it.
// Connections pass from tracker to reporter over a channel, and the tracker does not
// use their metrics afterwards. The results of the reader and the reporter are read
// after these have ended. The tracker asks the builder for names of paths; for that the
// builder reads only what was set before the goroutines started.
//
// If other processors analyse other captures, or if there is only one processor, the
// tracker's goroutine also reads. For two captures of the same sessions, each capture
// has a reader and a reporter, and one goroutine tracks both.
package engine
