package metrics

// factUnit has the metrics of a handshake and of events. The report takes these
// directly from the tracker.
var factUnit = &unit{key: "facts", report: nop{}}
