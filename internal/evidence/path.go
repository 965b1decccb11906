package evidence

import (
	"net/netip"
	"strings"

	"mpanalyze/internal/hosts"
)

// deviceTo returns the device over which a host reaches a peer from an address: the one that
// has the address, unless that is the loopback device, else that of the most specific route.
func (h *host) deviceTo(local, peer netip.Addr) *hosts.Interface {
	if dev := h.DeviceOf(local); dev != nil && dev.Dev != "lo" {
		return dev
	}
	best, bits := "", -1
	for _, r := range h.Records[hosts.Route] {
		words := strings.Fields(r.Text)
		if len(words) < 3 || strings.Contains(r.Text, " table local ") || words[0] == "local" || words[0] == "broadcast" {
			continue
		}
		prefix, ok := routePrefix(words[0])
		if ok && prefix.Contains(peer) && prefix.Bits() > bits {
			if dev := after(words, "dev"); dev != "" {
				best, bits = dev, prefix.Bits()
			}
		}
	}
	for _, i := range h.Interfaces {
		if i.Dev == best && best != "" {
			return i
		}
	}
	return nil
}

// after returns the word behind a word; empty if there is none.
func after(words []string, word string) string {
	for i := range words[:len(words)-1] {
		if words[i] == word {
			return words[i+1]
		}
	}
	return ""
}

// routePrefix reads the destination of a route.
func routePrefix(text string) (netip.Prefix, bool) {
	if text == "default" {
		return netip.PrefixFrom(netip.IPv4Unspecified(), 0), true
	}
	if p, err := netip.ParsePrefix(text); err == nil {
		return p, true
	}
	if a, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(a, a.BitLen()), true
	}
	return netip.Prefix{}, false
}

// otherLosses count packets of IPv4 that come and reach no socket although no rule drops them:
// fragments, those from an address that another device should have (rp_filter), those without a
// route, cut ones, and those to groups.
var otherLosses = []string{"IpReasmReqds", "TcpExtIPReversePathFilter", "IpExtInNoRoutes", "IpExtInTruncatedPkts", "IpExtInMcastPkts"}

// droppedIn returns how many packets of IPv4 came to a host and reached no socket, for a reason
// that no other counter has: a rule dropped them. ok is false if that is not known.
func (h *host) droppedIn() (n int64, at hosts.Ref, ok bool) {
	received, at, ok := h.State(hosts.Nstat, "").Difference("IpInReceives")
	if !ok {
		return 0, at, false
	}
	for _, name := range []string{"IpInDelivers", "IpInHdrErrors", "IpInAddrErrors", "IpForwDatagrams", "IpInUnknownProtos", "IpInDiscards"} {
		v, _, known := h.State(hosts.Nstat, "").Difference(name)
		if !known {
			return 0, at, false
		}
		received -= v
	}
	for _, name := range otherLosses {
		if v, _, _ := h.State(hosts.Nstat, "").Difference(name); v > 0 {
			return 0, at, false
		}
	}
	return max(received, 0), at, true
}

// droppedOut returns how many packets of IPv4 a host made and did not hand to a device.
func (h *host) droppedOut() (n int64, at hosts.Ref, ok bool) {
	made, at, ok := h.State(hosts.Nstat, "").Difference("IpOutRequests")
	sent, _, ok2 := h.State(hosts.Nstat, "").Difference("IpOutTransmits")
	routes, _, ok3 := h.State(hosts.Nstat, "").Difference("IpOutNoRoutes")
	discards, _, ok4 := h.State(hosts.Nstat, "").Difference("IpOutDiscards")
	if !ok || !ok2 || !ok3 || !ok4 {
		return 0, at, false
	}
	return max(made-sent-routes-discards, 0), at, true
}

// memoryDrops returns how many segments a host threw away because its memory was full.
func (h *host) memoryDrops() (n int64, at hosts.Ref, name string, ok bool) {
	for _, c := range []string{"TcpExtTCPRcvQDrop", "TcpExtTCPOFODrop", "TcpExtRcvPruned", "MPTcpExtRcvPruned"} {
		v, ref, known := h.State(hosts.Nstat, "").Difference(c)
		if known && v > n {
			n, at, name = v, ref, c
		}
		ok = ok || known
	}
	return n, at, name, ok
}
