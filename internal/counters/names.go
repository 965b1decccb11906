package counters

import _ "embed"

// Prefix is the beginning of the names of these counters in the output of nstat.
const Prefix = "MPTcpExt"

// counter is a counter that a capture can show.
type counter int

// The counters, in the order of kernelList.
const (
	capableSYNRX counter = iota
	capableSYNTX
	capableSYNACKRX
	capableACKRX
	capableFallbackACK
	capableFallbackSYNACK
	capableSYNTXDrop
	joinSynRx
	joinSynBackupRx
	joinSynAckRx
	joinSynAckBackupRx
	joinSynAckHMacFailure
	joinAckRx
	joinAckHMacFailure
	joinRejected
	joinSynTx
	infiniteMapTx
	infiniteMapRx
	dataCsumErr
	addAddr
	addAddrTx
	echoAdd
	echoAddTx
	portAdd
	joinPortSynRx
	joinPortSynAckRx
	joinPortAckRx
	mismatchPortSynRx
	rmAddr
	rmAddrTx
	prioTx
	prioRx
	failTx
	failRx
	fastcloseTx
	fastcloseRx
	rstTx
	rstRx
	shown // the number of these counters
)

// kernelList has the counters in the order of the kernel (Linux 6.18, net/mptcp/mib.c), a line each: the
// name, and for a counter that no capture can show the reason. The others are the constants above, in
// the same order.
//
//go:embed kernel.txt
var kernelList string
