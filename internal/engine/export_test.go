package engine

// Alone returns o for an analysis by one goroutine that reads and tracks.
func (o Options) Alone() Options {
	o.OneGoroutine = true
	return o
}

// Storing returns o for an analysis that keeps so many bytes of reports in memory.
func (o Options) Storing(bytes int64) Options {
	o.stored = bytes
	return o
}

// Together reports whether one goroutine reads and tracks.
func (o *Options) Together() bool { return o.readsAndTracks() }

// NeedsOrder reports whether packets are taken in the order of the capture.
func (o *Options) NeedsOrder() bool { return o.needsOrder() }

// InOrder returns o for an analysis that takes packets in the order of the capture.
func (o Options) InOrder() Options {
	o.inOrder = true
	return o
}
