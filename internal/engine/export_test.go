package engine

// Trackers returns o with so many trackers, of which two share out no more than
// so many packets, unless that is 0.
func (o Options) Trackers(n, apart int) Options {
	o.trackers, o.apart = n, apart
	return o
}

// Together reports whether one goroutine reads and tracks.
func (o *Options) Together() bool { return o.together() }
