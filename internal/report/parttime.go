package report

// PartOfTime reports whether only a part of each direction's time was looked at (--skip,
// --until); false where m is nil.
func (m *MadeBy) PartOfTime() bool {
	return m != nil && (given(m.Options.Skip) || given(m.Options.Until))
}

// given reports whether a time is set and not 0.
func given(text string) bool { return text != "" && text != "0s" }

// Window describes the time that was looked at, as in "in the first 3s after each
// direction's first data". It is empty if all of the time was.
func (m *MadeBy) Window() string {
	if !m.PartOfTime() {
		return ""
	}
	const origin = " after each direction's first data"
	switch o := &m.Options; {
	case !given(o.Until):
		return "later than " + o.Skip + origin
	case !given(o.Skip):
		return "in the first " + o.Until + origin
	default:
		return "from " + o.Skip + " to " + o.Until + origin
	}
}
