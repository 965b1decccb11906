package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	gax "github.com/googleapis/gax-go/v2"

	"mpanalyze/internal/storage"
)

// policy says how often requests to a store are repeated, and how long they may take.
type policy struct {
	attempts int           // of each request
	first    time.Duration // bound of the wait before the second attempt; waits are random, and the bound doubles each time
	longest  time.Duration // largest bound of a wait
	stall    time.Duration // after this time without an answer or a byte, a request has failed
	listing  time.Duration // bound for a list of all objects
	sending  time.Duration // after this time in which the store took no byte, sending has failed
}

// defaultPolicy bounds a request that never succeeds to eight attempts within some 22 s, if the store
// answers at once.
var defaultPolicy = policy{
	attempts: 8, first: 200 * time.Millisecond, longest: 10 * time.Second,
	stall: 30 * time.Second, listing: 5 * time.Minute, sending: 2 * time.Minute,
}

// errReplaced says that an object was replaced since the store was asked for it first.
var errReplaced = storage.ErrReplaced

// errStalled is the cause when a request was ended because the store did not answer.
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

// again waits before the next attempt. It returns an error if there must be no further attempt:
// because err is not temporary, after too many attempts, or when ctx has ended.
func (a *attempts) again(ctx context.Context, scheme string, err error) error {
	a.n++
	switch {
	case ctx.Err() != nil:
		return stopped
	case !temporary(err), a.n >= a.policy.attempts:
		return said(scheme, err, a.n)
	case gax.Sleep(ctx, a.backoff.Pause()) != nil:
		return stopped
	}
	return nil
}

// try repeats a request until it succeeds, within the bounds of the policy. most bounds the time
// of each attempt; 0 for no bound.
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

// watched is a request that ends when no byte was received or sent for a time.
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

// moved restarts the time when bytes were received or sent.
func (w *watched) moved() { w.timer.Reset(w.most) }

// said returns the error of the request. If the request was ended, it returns the reason for that.
func (w *watched) said(err error) error {
	if cause := context.Cause(w.ctx); err != nil && cause != nil {
		return cause
	}
	return err
}

// end frees the resources of the request.
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
