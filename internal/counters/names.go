package counters

// Prefix is the beginning of the names of these counters in the output of nstat.
const Prefix = "MPTcpExt"

// counter is an index in names.
type counter int

// The counters that a capture can show.
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

// Why a capture cannot show a counter.
const (
	whyKernel   = "counts a decision inside the host, which no packet tells of"
	whyNotSent  = "counts what the host did not send"
	whyQueue    = "depends on the order in which the host took data from its subflows"
	whyFragment = "counts pieces of the send buffer, which are not packets: marks of mpanalyze packets show the reinjections"
	whyFallback = "which of several counters the host uses depends on its kernel: fallback_code in the report has the cause"
	whyNow      = "tells of the moment when nstat ran"
	whyWindow   = "depends on which of two windows the host had stored"
	whyToken    = "the host may know connections that began before the capture"
	whyDropped  = "counts what the host received and ignored, for reasons of its own"
)

// all lists the counters in the order of the kernel (Linux 6.18, net/mptcp/mib.c).
var all = []struct {
	name string
	c    counter // has the value shown if a capture cannot show it
	why  string
}{
	{"MPCapableSYNRX", capableSYNRX, ""},
	{"MPCapableSYNTX", capableSYNTX, ""},
	{"MPCapableSYNACKRX", capableSYNACKRX, ""},
	{"MPCapableACKRX", capableACKRX, ""},
	{"MPCapableFallbackACK", capableFallbackACK, ""},
	{"MPCapableFallbackSYNACK", capableFallbackSYNACK, ""},
	{"MPCapableSYNTXDrop", capableSYNTXDrop, ""},
	{"MPCapableSYNTXDisabled", shown, whyNotSent},
	{"MPCapableEndpAttempt", shown, whyKernel},
	{"MPFallbackTokenInit", shown, whyKernel},
	{"MPTCPRetrans", shown, whyFragment},
	{"MPJoinNoTokenFound", shown, whyToken},
	{"MPJoinSynRx", joinSynRx, ""},
	{"MPJoinSynBackupRx", joinSynBackupRx, ""},
	{"MPJoinSynAckRx", joinSynAckRx, ""},
	{"MPJoinSynAckBackupRx", joinSynAckBackupRx, ""},
	{"MPJoinSynAckHMacFailure", joinSynAckHMacFailure, ""},
	{"MPJoinAckRx", joinAckRx, ""},
	{"MPJoinAckHMacFailure", joinAckHMacFailure, ""},
	{"MPJoinRejected", joinRejected, ""},
	{"MPJoinSynTx", joinSynTx, ""},
	{"MPJoinSynTxCreatSkErr", shown, whyNotSent},
	{"MPJoinSynTxBindErr", shown, whyNotSent},
	{"MPJoinSynTxConnectErr", shown, whyNotSent},
	{"DSSNotMatching", shown, whyKernel},
	{"DSSCorruptionFallback", shown, whyFallback},
	{"DSSCorruptionReset", shown, whyKernel},
	{"InfiniteMapTx", infiniteMapTx, ""},
	{"InfiniteMapRx", infiniteMapRx, ""},
	{"DSSNoMatchTCP", shown, whyKernel},
	{"DataCsumErr", dataCsumErr, ""},
	{"OFOQueueTail", shown, whyQueue},
	{"OFOQueue", shown, whyQueue},
	{"OFOMerge", shown, whyQueue},
	{"NoDSSInWindow", shown, whyKernel},
	{"DuplicateData", shown, whyQueue},
	{"AddAddr", addAddr, ""},
	{"AddAddrTx", addAddrTx, ""},
	{"AddAddrTxDrop", shown, whyNotSent},
	{"EchoAdd", echoAdd, ""},
	{"EchoAddTx", echoAddTx, ""},
	{"EchoAddTxDrop", shown, whyNotSent},
	{"PortAdd", portAdd, ""},
	{"AddAddrDrop", shown, whyDropped},
	{"MPJoinPortSynRx", joinPortSynRx, ""},
	{"MPJoinPortSynAckRx", joinPortSynAckRx, ""},
	{"MPJoinPortAckRx", joinPortAckRx, ""},
	{"MismatchPortSynRx", mismatchPortSynRx, ""},
	{"MismatchPortAckRx", shown, whyKernel},
	{"RmAddr", rmAddr, ""},
	{"RmAddrDrop", shown, whyDropped},
	{"RmAddrTx", rmAddrTx, ""},
	{"RmAddrTxDrop", shown, whyNotSent},
	{"RmSubflow", shown, whyKernel},
	{"MPPrioTx", prioTx, ""},
	{"MPPrioRx", prioRx, ""},
	{"MPFailTx", failTx, ""},
	{"MPFailRx", failRx, ""},
	{"MPFastcloseTx", fastcloseTx, ""},
	{"MPFastcloseRx", fastcloseRx, ""},
	{"MPRstTx", rstTx, ""},
	{"MPRstRx", rstRx, ""},
	{"SubflowStale", shown, whyKernel},
	{"SubflowRecover", shown, whyKernel},
	{"SndWndShared", shown, whyWindow},
	{"RcvWndShared", shown, whyWindow},
	{"RcvWndConflictUpdate", shown, whyWindow},
	{"RcvWndConflict", shown, whyWindow},
	{"MPCurrEstab", shown, whyNow},
	{"Blackhole", shown, whyKernel},
	{"MPCapableDataFallback", shown, whyFallback},
	{"MD5SigFallback", shown, whyFallback},
	{"DssFallback", shown, whyFallback},
	{"SimultConnectFallback", shown, whyFallback},
	{"FallbackFailed", shown, whyFallback},
	{"WinProbe", shown, whyKernel},
}
