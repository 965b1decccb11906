package report

// SchedulerRegret is what the choices of the scheduler cost in one direction, by
// estimates from what the sender knew.
type SchedulerRegret struct {
	// Chunks of data, each at its first transmission, for which there was another path.
	Chunks int64 `json:"chunks"`
	// Those that left on a path that was the worse choice.
	WorseChunks int64 `json:"worse_chunks"`
	// The same, percent of chunks.
	WorsePercent float64 `json:"worse_percent"`
	// Bytes of them.
	WorseBytes int64 `json:"worse_bytes"`
	// By how much each chunk would have been acknowledged in order earlier on the best path, weighed by bytes, ms; 0 where the best one was taken.
	Lost Stat `json:"lost_ms"`
	// What it rests on: "inferred".
	Evidence Evidence `json:"evidence"`
}
