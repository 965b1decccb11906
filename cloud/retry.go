package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	gax "github.com/googleapis/gax-go/v2"
)

// policy says how often and how long a store is asked.
type policy struct {
	attempts int           // of each request, and of each part of an object
	first    time.Duration // before the second attempt; each wait is random up to this, which doubles
	longest  time.Duration
	stall    time.Duration // without an answer or a byte, after which a request counts as cut
	listing  time.Duration // for a list of all objects
	sending  time.Duration // without a byte taken, after which sending counts as cut
}

// usual bounds a request that never succeeds to eight attempts within some 22 s, if the store
// answers at once.
var usual = policy{
	attempts: 8, first: 200 * time.Millisecond, longest: 10 * time.Second,
	stall: 30 * time.Second, listing: 5 * time.Minute, sending: 2 * time.Minute,
}

// errReplaced says that an object is not the one that was looked at first.
var errReplaced = errors.New("the object was replaced")

// errStalled is the cause of a request that came to nothing.
var errStalled = errors.New("the storage stopped answering")

// attempts counts the attempts of one request.
type attempts struct {
	policy  policy
	backoff gax.Backoff
	n       int
}

func (p policy) start() *attempts {
	return &attempts{policy: p, backoff: gax.Backoff{Initial: p.first, Max: p.longest, Multiplier: 2}}
}

// again waits before the next attempt. It returns an error if there is none, because of what err
// says, the number of attempts or ctx.
func (a *attempts) again(ctx context.Context, scheme string, err error) error {
	a.n++
	switch {
	case ctx.Err() != nil:
		return stopped
	case !temporary(err):
		return said(scheme, err, a.n)
	case a.n >= a.policy.attempts:
		return said(scheme, err, a.n)
	case gax.Sleep(ctx, a.backoff.Pause()) != nil:
		return stopped
	}
	return nil
}

// try makes a request until it succeeds, within the bounds of the policy. Each attempt may take
// so long; 0 for no bound.
func (p policy) try(ctx context.Context, most time.Duration, scheme string, request func(context.Context) error) error {
	for a := p.start(); ; {
		err := within(ctx, most, request)
		if err == nil {
			return nil
		}
		if err := a.again(ctx, scheme, err); err != nil {
			return err
		}
	}
}

func within(ctx context.Context, most time.Duration, request func(context.Context) error) error {
	if most == 0 {
		return request(ctx)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, most, fmt.Errorf("%w for %v", errStalled, most))
	defer cancel()
	if err := request(ctx); err != nil {
		if context.Cause(ctx) != nil {
			return context.Cause(ctx)
		}
		return err
	}
	return nil
}

// watched is a request that ends when no byte came or went for a time.
type watched struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	most   time.Duration
}

func watch(ctx context.Context, most time.Duration) *watched {
	w := &watched{most: most}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	w.timer = time.AfterFunc(most, func() { w.cancel(fmt.Errorf("%w for %v", errStalled, most)) })
	return w
}

// moved notes that bytes came or went.
func (w *watched) moved() { w.timer.Reset(w.most) }

// said returns the error of the request: that it was ended, where it was.
func (w *watched) said(err error) error {
	if cause := context.Cause(w.ctx); err != nil && cause != nil {
		return cause
	}
	return err
}

// end gives back what the request holds.
func (w *watched) end() {
	w.timer.Stop()
	w.cancel(nil)
}

// reader returns a reader of r whose bytes count as moved.
func (w *watched) reader(r io.Reader) io.Reader { return &moving{r, w} }

type moving struct {
	r io.Reader
	w *watched
}

func (m *moving) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.w.moved()
	return n, err
}
