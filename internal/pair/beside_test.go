package pair

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"mpanalyze/internal/tracegen"
)

// aside runs work in a goroutine.
type aside struct {
	work  chan func()
	ended chan bool
	open  int
	given int
}

func (a *aside) Do(work func()) {
	if a.open == MaxBeside {
		<-a.ended
		a.open--
	}
	a.open++
	a.given++
	a.work <- work
}

func (a *aside) Wait() {
	for ; a.open > 0; a.open-- {
		<-a.ended
	}
}

// TestBeside: where packets are matched while others are tracked, nothing is
// told that is not told else.
func TestBeside(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 2})
	sub := []*tracegen.Subflow{s.Subflow(path(1)), s.Subflow(path(2))}
	sub[0].Open(0)
	sub[1].Open(50 * msec)
	for i := range 12_000 {
		x := sub[r.IntN(2)].Data(tracegen.A2B, 200*msec+time.Duration(i)*msec, int64(i*size), size)
		switch r.IntN(40) {
		case 0:
			x.Lose().Again(x.SentAt() + 60*msec)
		case 1:
			x.Late(time.Duration(r.IntN(30)) * msec)
		}
	}
	s.Close(13*time.Second, 12_000*size, 0)
	views := capture2(s)
	views.shift(func(since time.Duration) time.Duration { return 3*msec + since/20_000 })
	a := &aside{work: make(chan func(), MaxBeside), ended: make(chan bool, MaxBeside)}
	go func() {
		for work := range a.work {
			work()
			a.ended <- true
		}
	}()
	defer close(a.work)
	alone := match(t, views, Options{Drift: true, Rough: int64(3 * msec)})
	both := match(t, views, Options{Drift: true, Rough: int64(3 * msec), Beside: a})
	if a.given < 10 {
		t.Errorf("%d bursts were matched beside", a.given)
	}
	if x, y := alone.Clock(Auto), both.Clock(Auto); x != y {
		t.Errorf("clocks %+v and %+v", x, y)
	}
	flows, conns := alone.Results()
	flowsToo, connsToo := both.Results()
	if len(flows) != 2 || !reflect.DeepEqual(flows, flowsToo) || !reflect.DeepEqual(conns, connsToo) {
		t.Errorf("%+v\n%+v", flows, flowsToo)
	}
}
