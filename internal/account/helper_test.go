package account

const (
	ms      = int64(1e6) // ns
	segment = int64(1000)
)

type path struct {
	Subflow
	nxt, una int64 // segments
	ended    int64
	rtt      int64 // ms
}
