package tracegen

import (
	"math/rand/v2"

	"mpanalyze/internal/mptcp"
)

// KeyNearWrap returns a key whose initial data sequence number lies at most
// within octets before a multiple of 2^32, so that a stream of that length
// wraps the 32-bit form of its numbers. It tries keys of a fixed seed: about
// 2^32/within of them.
func KeyNearWrap(version uint8, within uint32) uint64 {
	r := rand.New(rand.NewPCG(8684, uint64(version)))
	for {
		key := r.Uint64()
		if -uint32(mptcp.IDSN(version, key))-1 < within {
			return key
		}
	}
}
