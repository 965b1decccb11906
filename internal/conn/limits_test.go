package conn

import (
	"testing"

	"gotest.tools/v3/assert"
)

// TestLimits: the bounds and waits are those that ARCHITECTURE.md (Bounds), docs/messages.md and the
// comments name. Other tests show what happens at each of them, by its name.
func TestLimits(t *testing.T) {
	const second = 1_000_000_000 // ns
	for _, c := range []struct {
		name      string
		got, want int64
	}{
		{"subflows of open connections", maxOpen, 16_384},
		{"half-open connections", maxHalfOpen, 1024},
		{"ended connections that wait for joins", maxEnded, 1024},
		{"closed connections", maxClosed, 128},
		{"SYNs that wait", maxWaitingSYNs, 4096},
		{"open subflows of a connection", maxSubflows, 1024},
		{"all subflows of a connection", maxEver, 8192},
		{"subflows without a handshake", maxNoSYN, 64},
		{"4-tuples of ended connections", maxTimeWait, 65_536},
		{"subflows with late packets", DefaultMaxLate, 65_536},
		{"memory", DefaultMaxState, 1 << 30},
		{"goroutines", MaxGoroutines, 4},
		{"unused connections", maxPooled, 256},
		{"subflows of an unused connection", maxPooledSubflows, 4},
		{"packets of a flow that is not half-open", fewPackets, 8},
		{"packets of a pending flow", maxHeldPackets, 64},
		{"packets of a pending flow behind a join", maxHeldForJoin, 512},
		{"pending flows", maxPendingFlows, 64},
		{"payload of pending flows", maxHeldBytes, 16 << 20},
		{"wait of a pending flow", holdFor, 30 * second},
		{"wait for stragglers", stragglerWait, 5 * second},
		{"wait for joins", joinWait, 60 * second},
		{"time between sweeps", sweepEvery, second},
		{"two maximum segment lifetimes (RFC 9293, Section 3.4.1)", twoMSL, 240 * second},
		{"least timeout of Linux", leastTimeout, second / 5},
		{"least handshake that tells the vantage", minHandshake, second / 1000},
		{"handshakes that tell the vantage", maxShares, 256},
		{"runs of payload without a mapping", maxUnmappedRuns, 32},
		{"mappings before the origin is known", maxEarly, 16},
		{"steps of the clock", maxClockSteps, 256},
		{"packets without a time", maxUntimed, 256},
		{"gaps", maxGaps, 64},
		{"part of a round trip that a short gap has", shortGap, 8},
		{"reasons of RSTs", maxResetCounts, 16},
		{"least MSS of Linux", minMSS, 88},
		{"payload that is one segment for certain", largestSegment, 1400},
		{"bits that prove", proofBits, 40},
		{"distance of numbers", maxDistance, 1 << 28},
		{"weight of a version that is certain", sureOfVersion, 3},
		{"comparisons of a search", maxCandidates, 128},
		{"connections for which grouping pays", minGrouped, 16},
		{"ports of services", servicePorts, 1024},
		{"ports of clients", clientPorts, 32_768},
	} {
		assert.Check(t, c.got == c.want, "%s: %d, want %d", c.name, c.got, c.want)
	}
}
