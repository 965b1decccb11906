package conn

// asideAs says how a connection is set aside. A connection with nothing but a SYN, or with a few
// packets of one end, has no [Conn] where a [LoneSYN] or a [OneSided] is enough. Where modules want
// every connection, it has one. The bounds of the table must not depend on that, because the
// numbers of other connections depend on them. So such a connection is set aside: until something
// follows it, it counts only for the bound that it has as a [LoneSYN] or [OneSided], and not for
// [Options.MaxState].
type asideAs uint8

const (
	notAside asideAs = iota
	asLoneSYN
	asOneSided
)

// halfOpenList returns the list that c is in while it is half-open.
func (t *Table) halfOpenList(c *Conn) *list[Conn] {
	return [...]*list[Conn]{notAside: &t.halfOpen, asLoneSYN: &t.lone, asOneSided: &t.oneEnd}[c.aside]
}

// setAside sets a half-open connection aside.
func (t *Table) setAside(c *Conn, as asideAs) {
	t.halfOpen.remove(c)
	t.subflows -= len(c.Subflows)
	t.count(c, -c.counted)
	c.aside = as
	t.finishFirst(t.halfOpenList(c), [...]int{asLoneSYN: t.bounds.waitingSYNs, asOneSided: t.bounds.halfOpen}[as]-1)
	t.halfOpenList(c).add(c)
}

// finishFirst finishes the first connections of a list of half-open ones that has more than most.
func (t *Table) finishFirst(in *list[Conn], most int) {
	for in.n > most {
		t.warn("half_open", moreHalfOpen, 0)
		t.finish(in.first)
	}
}

// admit makes a connection that was set aside count like others: something follows it.
func (t *Table) admit(c *Conn) {
	if c.aside == notAside {
		return
	}
	t.makeRoom()
	t.halfOpenList(c).remove(c)
	c.aside = notAside
	t.halfOpen.add(c)
	t.subflows += len(c.Subflows)
	t.count(c, int64(connState+subflowState*len(c.Subflows)))
}

// numConns returns how many connections the table knows, in whatever form.
func (t *Table) numConns() int { return t.open.n + t.loneSYNs.n + t.oneSided.n }
