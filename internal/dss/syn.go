package dss

// AddSYNData counts n bytes of data that the SYN of the subflow carried and the other
// end accepted (TCP Fast Open, RFC 7413). They come before all other data of the
// application, but have no place in the data sequence space: its first byte is the one
// after them (RFC 8684, Appendix B.2).
func (sp *Space) AddSYNData(sub *SubflowSpace, n int64) {
	sp.SYNBytes += n
	sub.FirstBytes += n
}

// AppBytes returns the distinct bytes of application data seen: those of the data
// sequence space, DATA_FIN not counted, and those of the SYN.
func (sp *Space) AppBytes() int64 { return sp.Bytes + sp.SYNBytes }

// WaitForMapping keeps payload of a SYN that the other end did not accept until a
// mapping covers it: the sender sends it again, like any lost data.
func (sub *SubflowSpace) WaitForMapping(p Payload) { sub.addPending(p) }
