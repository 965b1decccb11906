package conn

// The ports that tell which end listens. Ports below 1024 belong to services. The least port that
// hosts give to clients by default is 32768 (Linux; other hosts begin at 49152, RFC 6335, Section 6).
const (
	servicePorts = 1024
	clientPorts  = 32768
)

// roleOf returns the side of the source of k in a connection whose handshake was not captured: B
// if only its port is one to listen at. fallback is the side where the ports do not tell.
func roleOf(k key, fallback Side) Side {
	src, dst := k.src.Port, k.dst.Port
	for _, limit := range [2]uint16{servicePorts, clientPorts} {
		if (src < limit) != (dst < limit) {
			if src < limit {
				return B
			}
			return A
		}
	}
	return fallback
}

// roleOfTwo returns the side of the source of x in a connection of two subflows; the source of y is
// the same host. The end that has one port for both is the one that listens: a host that opens
// subflows takes a new port for each.
func roleOfTwo(x, y key, fallback Side) Side {
	same, different := x.src.Port == y.src.Port, x.dst.Port != y.dst.Port
	switch {
	case same && different:
		return B
	case !same && !different:
		return A
	}
	return roleOf(x, fallback)
}
