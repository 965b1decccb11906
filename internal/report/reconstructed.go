package report

// BufferBlocking is how often and how far the offered window fell below its
// mean so far.
type BufferBlocking struct {
	// Number of spells.
	Count int64 `json:"count"`
	// Their length together, ms.
	TotalMS float64 `json:"total_ms"`
	// The lowest awnd_delta of any of them, its sign reversed; 0 where there was none.
	Depth float64 `json:"depth"`
	// What it rests on: "reconstructed".
	Evidence Evidence `json:"evidence"`
}

// RecPathList is which paths MPTCP-rec's receiver would have had the sender
// use: all of them, and without the one of least DSR while the receive buffer
// filled up.
type RecPathList struct {
	// Time in which it would have used every path, of that between the first and the last window seen, ms.
	AllPathsMS float64 `json:"all_paths_ms"`
	// The subflows that it would have left out at times.
	Without List[RecPath] `json:"without"`
	// What it rests on: "reconstructed".
	Evidence Evidence `json:"evidence"`
}

// RecPath is a subflow that MPTCP-rec would have left out at times.
type RecPath struct {
	// Id of the subflow.
	Subflow int `json:"subflow"`
	// Label of its path.
	Path string `json:"path"`
	// How many times.
	Count int64 `json:"count"`
	// For how long together, ms.
	TotalMS float64 `json:"total_ms"`
}
