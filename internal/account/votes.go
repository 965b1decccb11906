package account

const (
	leastVotes  = 8  // pauses that can vote
	voters      = 16 // pauses around one that vote on it
	votesAfter  = 7  // of them, after it
	votesWindow = 10 // of them, woken: a send buffer holds
	// patience is how many packets of the direction the account waits for pauses that follow. It
	// bounds what is kept meanwhile.
	patience = 8192
)

// votes decides who holds back in pauses. A full send buffer lets the application write again
// when much of it is free, so new data follows an ACK. An application that writes when it likes
// rarely does. One pause may be either, so those around it vote.
type votes struct {
	queue    []pause // not decided, in the order of their ends; bounded by patience, as each ends with a packet
	resolved int     // of the queue, those whose share of the scheduler is known
	woken    []bool  // voters: decided of late (five times voters at most), or in the queue and resolved
	done     int     // of woken, those that are decided
	many     bool    // so many voted that the first of them can be decided
}

func (v *votes) empty() votes { return votes{queue: v.queue[:0], woken: v.woken[:0]} }

// vote takes the vote of a pause.
func (v *votes) vote(woken bool) {
	v.woken = append(v.woken, woken)
	v.many = v.many || len(v.woken) >= voters
}

// state returns the state of the first pause of the queue. ok is false where it waits for more
// votes, which it does not if hurry is set.
func (v *votes) state(hurry bool) (s State, ok bool) {
	p := &v.queue[0]
	if p.state != Undetermined {
		return p.state, true
	}
	if p.votes && !hurry && (!v.many || len(v.woken) <= v.done+votesAfter) {
		return 0, false
	}
	to := min(len(v.woken), max(v.done+votesAfter+1, voters))
	from := max(0, to-voters)
	n, woken := to-from, 0
	for _, w := range v.woken[from:to] {
		if w {
			woken++
		}
	}
	if p.votes {
		v.decided()
	}
	switch {
	case n < leastVotes && p.woken:
		return Undetermined, true
	case n < leastVotes || woken*voters < votesWindow*n:
		return Application, true
	}
	return Window, true
}

// decided takes that one more voter is decided. It forgets voters that no other one needs.
func (v *votes) decided() {
	if v.done++; v.done > 4*voters {
		n := v.done - voters
		v.woken = append(v.woken[:0], v.woken[n:]...)
		v.done = voters
	}
}

// from returns the beginning of the first pause of a subflow that is not decided, or otherwise.
func (v *votes) from(id int, otherwise int64) int64 {
	for i := range v.queue {
		if v.queue[i].id == id {
			return v.queue[i].from
		}
	}
	return otherwise
}

// decide decides the pauses that can be decided: all if final is set.
func (a *Account) decide(now int64, final bool) {
	v := &a.votes
	hurry := func(p *pause) bool { return final || a.packets-p.packets > patience }
	for {
		for v.resolved < len(v.queue) && a.resolve(&v.queue[v.resolved], now, hurry(&v.queue[v.resolved])) {
			v.resolved++
		}
		if v.resolved == 0 {
			return
		}
		p := v.queue[0]
		state, ok := v.state(hurry(&p))
		if !ok {
			return
		}
		a.subs[p.id].paused(&p, state)
		v.queue = append(v.queue[:0], v.queue[1:]...)
		v.resolved--
	}
}

// paused takes a pause whose state is decided. What refills a send buffer between two pauses is
// limited by it, too.
func (s *Subflow) paused(p *pause, state State) {
	if state == Window && s.sender.heldUntil != 0 && p.from-s.sender.heldUntil <= s.sender.heldRTT {
		p.from = s.sender.heldUntil
	}
	s.sender.held[state].add(p.from, p.to)
	if s.sender.heldUntil, s.sender.heldRTT = 0, p.srtt; state == Window {
		s.sender.heldUntil = p.to
	}
}
