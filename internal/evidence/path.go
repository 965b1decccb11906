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
