package evidence

import (
	"net/netip"
	"slices"

	"mpanalyze/internal/hosts"
)

// deviceTo returns the device over which a host reaches a peer from an address: the one that
// has the address, unless that is the loopback device, else that of the most specific route.
func (h *host) deviceTo(local, peer netip.Addr) string {
	if dev := h.DeviceOf(local); dev != "" && dev != "lo" {
		return dev
	}
	best, bits := "", -1
	for _, r := range h.Records[hosts.Route] {
		prefix, ok := hosts.Prefix(r.Name)
		if ok && prefix.Contains(peer) && prefix.Bits() > bits {
			best, bits = r.Text, prefix.Bits()
		}
	}
	if !slices.ContainsFunc(h.Interfaces, func(i *hosts.Interface) bool { return i.Dev == best }) {
		return ""
	}
	return best
}
