package tcptrace

type pairGraphs struct{}

func (*pairGraphs) packet(*Pair, *step)  {}
func (*pairGraphs) counted(*Pair, *step) {}
