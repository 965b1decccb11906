package tracegen

import "time"

// kindFastOpen is the TCP Fast Open option (RFC 7413, Section 4.1.1).
const kindFastOpen = 34

// FastOpen scripts a SYN with the TCP Fast Open option and n bytes of data. An empty cookie
// requests a cookie. The data is before offset 0 of the application stream, from -n on,
// because it has no DSN (RFC 8684, Appendix B.2).
func (f *Subflow) FastOpen(at time.Duration, cookie []byte, n int) *Sent {
	x := f.SYN(at)
	x.cookie, x.n = append([]byte{}, cookie...), n
	f.half[x.dir].next += x.span().End - 1
	f.syn = n
	return x
}

// GiveCookie makes a SYN/ACK carry a TCP Fast Open cookie.
func (x *Sent) GiveCookie(cookie []byte) *Sent { x.cookie = cookie; return x }

// Decline makes the responder accept the SYN without its data; the data has to be sent
// again.
func (x *Sent) Decline() *Sent {
	x.declined = true
	x.sub.half[x.dir].next = 1
	x.sub.syn = 0
	return x
}

// appendFastOpen appends the option.
func appendFastOpen(b, cookie []byte) []byte {
	b = append(b, kindFastOpen, uint8(2+len(cookie)))
	return append(b, cookie...)
}
