package report

// Streaming is what a player would have shown. The player plays the data of one
// direction at a constant rate, as it comes in order at the receiver.
type Streaming struct {
	// Rate at which the player uses the data up, Mbit/s (--stream bitrate).
	Bitrate float64 `json:"bitrate_mbps"`
	// Data that the player waits for before it starts and after each stall, as time of play, ms (--stream playout).
	Playout float64 `json:"playout_ms"`
	// Start-up delay: arrival of the direction's first data until the player starts, ms.
	Startup float64 `json:"startup_ms"`
	// First packet of the connection until the player starts, ms.
	SinceOpen float64 `json:"since_open_ms"`
	// Time that all data in order takes to play, ms.
	Played float64 `json:"played_ms"`
	// Stalls: times that the player had nothing to play although data followed.
	Stalls int64 `json:"stalls"`
	// All stalls together, ms.
	Stalled float64 `json:"stalled_ms"`
	// The longest stall, ms; 0 without stalls.
	LongestStall float64 `json:"longest_stall_ms"`
	// Stalled time / stalled and played time, percent.
	StalledPercent float64 `json:"stalled_percent"`
	// Chunks of data that came in order.
	Chunks int64 `json:"chunks"`
	// Chunks that were not in order in time: a player that starts at the same time and never waits needed their first byte earlier.
	LateChunks int64 `json:"late_chunks"`
	// The same, percent of all chunks.
	LatePercent float64 `json:"late_percent"`
	// Bytes of the late chunks.
	LateBytes int64 `json:"late_bytes"`
	// How long after that time the late chunks were in order, ms; null where none was late.
	Lateness *Stat `json:"lateness_ms" null:"none"`
	// What the application wrote in bursts.
	Messages *Messages `json:"messages"`
	// What it rests on: "observed".
	Evidence Evidence `json:"evidence"`
}

// Messages are the bursts in which an application writes, as frames or segments of a
// video, told apart by the pauses between them.
type Messages struct {
	// Pause that ends a message, ms (--stream gap); null where it is that of the default rule.
	Gap *float64 `json:"gap_ms" null:"none"`
	// Number of messages that arrived whole.
	Count int64 `json:"count"`
	// Those that took longer than playout_ms.
	Late int64 `json:"late"`
	// The same, percent.
	LatePercent float64 `json:"late_percent"`
	// Bytes of a message.
	Bytes Stat `json:"bytes"`
	// First arrival of data of a message until all of it is in order, ms.
	Duration Stat `json:"duration_ms"`
}
