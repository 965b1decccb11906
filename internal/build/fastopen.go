package build

import (
	"cmp"
	"encoding/hex"

	"mpanalyze/internal/metrics"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
)

// fastOpen returns what a handshake shows about TCP Fast Open.
func (b *Builder) fastOpen(s *metrics.Sub) *report.FastOpen {
	f := s.Sub.FastOpen()
	if f == nil {
		if s.Sub.SYN == 0 {
			b.reasons.Set("fast_open", "the SYN is not in the capture")
		} else if cut := s.OffersCut(s.Sub.Initiator); cut != "" {
			b.reasons.Set("fast_open", cut)
		}
		return nil
	}
	out := &report.FastOpen{
		CookieRequest: f.SYN.Form != packet.NoFastOpen && f.SYN.Len == 0,
		Cookie:        cookie(&f.SYN), CookieGiven: cookie(&f.SYNACK),
		Experimental: cmp.Or(f.SYN.Form, f.SYNACK.Form) == packet.FastOpenExperimental,
		SYNBytes:     f.Bytes,
		Convert:      convert(f.Convert[s.Sub.Initiator], f.Convert[s.Sub.Initiator.Other()]),
	}
	if f.Decided {
		out.AcceptedBytes = new(f.Accepted)
	}
	return out
}

// cookie returns the cookie of an option in hexadecimal; nil where it has none.
func cookie(f *packet.FastOpen) *string {
	if f.Len == 0 {
		return nil
	}
	return new(hex.EncodeToString(f.Bytes()))
}

// convert returns what a request to a converter and its answer say; nil without a request.
func convert(request, answer *packet.Convert) *report.Convert {
	if request == nil {
		return nil
	}
	out := &report.Convert{Bytes: int64(request.Len)}
	if peer, ok := request.Peer(); ok {
		out.Peer = &report.Endpoint{Addr: peer.Addr().String(), Port: int(peer.Port())}
	}
	if answer != nil {
		out.AnswerBytes = new(int64(answer.Len))
		if why := answer.Failure(); why != "" {
			out.Error = &why
		}
	}
	return out
}
