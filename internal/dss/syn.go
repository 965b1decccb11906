package dss

// AddSYNData counts n bytes of data that the SYN of lane l's subflow carried and the
// other end accepted (TCP Fast Open, RFC 7413). They are the application's, and
// come before all other data of its stream; but they have no place in the data
// sequence space, whose first byte is the one that follows them (RFC 8684,
// Appendix B.2).
func (sp *Space) AddSYNData(l *SubflowSpace, n int64) {
	sp.SYNBytes += n
	l.FirstBytes += n
}

// AppBytes returns the distinct bytes of application data seen: those of the data
// sequence space, DATA_FIN not counted, and those of the SYN.
func (sp *Space) AppBytes() int64 { return sp.Bytes + sp.SYNBytes }

// WaitForMapping keeps payload of a SYN that the other end did not accept until a
// mapping covers it: the sender sends it again, like any data that was lost.
func (l *SubflowSpace) WaitForMapping(p Payload) { l.pend(p) }
