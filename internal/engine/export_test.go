package engine

// Alone returns o for an analysis by one goroutine that reads and tracks.
func (o Options) Alone() Options {
	o.alone = true
	return o
}

// Together reports whether one goroutine reads and tracks.
func (o *Options) Together() bool { return o.together() }
