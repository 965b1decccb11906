package diagnose

import (
	"slices"

	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// number returns a figure as a proof. Sentences have it by its name, if it has one.
func number(name, what string, v float64, unit string) report.Proof {
	return report.Proof{Name: name, What: what, Value: &v, Unit: &unit}
}

// value returns a figure that only the sentence has.
func value(name string, v float64, unit string) report.Proof { return number(name, "", v, unit) }

// lasted returns a time in ns as a proof, or for the sentence alone where what is empty.
func lasted(name, what string, ns int64) report.Proof {
	return number(name, what, float64(ns)/1e6, "ms")
}

// counted returns how many there are, as a proof, or for the sentence alone where what is empty.
func counted[N int | int64](name, what string, n N) report.Proof {
	return number(name, what, float64(n), "count")
}

// word returns a word for the sentence; an empty one says nothing.
func word(name, text string) report.Proof {
	if text == "" {
		return report.Proof{}
	}
	return report.Proof{Name: name, Text: &text}
}

// when returns a word by which the sentence says what is true.
func when(is bool, name string) report.Proof {
	if !is {
		return report.Proof{}
	}
	return word(name, "yes")
}

// only returns a fact if it is true.
func only(is bool, f report.Proof) report.Proof {
	if !is {
		return report.Proof{}
	}
	return f
}

// ofSubflow returns a fact about a subflow.
func ofSubflow(sub int, f report.Proof) report.Proof {
	f.Subflow = &sub
	return f
}

// packet returns a packet that was marked as a proof; an empty proof if there is no such
// packet. sub is negative where it concerns no subflow.
func (j *judge) packet(what string, k symptoms.PacketRef, sub int) report.Proof {
	if !k.Seen() {
		return report.Proof{}
	}
	n, t := int64(k.Packet), float64(k.Time-j.start)/1e9
	return report.Proof{What: what, Packet: &n, TS: &t, Subflow: subflowID(sub)}
}

// proof returns an event as a proof.
func proof(what string, e *report.Event) report.Proof {
	t := e.TS
	return report.Proof{What: what, Packet: e.Packet, TS: &t, Subflow: e.Subflow}
}

func subflowID(sub int) *int {
	if sub < 0 {
		return nil
	}
	return &sub
}

// fact returns a fact of a verdict by its name; nil if there is none.
func fact(v *report.Verdict, name string) *report.Proof {
	for _, list := range [2]report.List[report.Proof]{v.Parameters, v.Evidence} {
		for i := range list {
			if list[i].Name == name {
				return &list[i]
			}
		}
	}
	return nil
}

// figure returns a number of a verdict by its name; 0 if there is none.
func figure(v *report.Verdict, name string) float64 {
	if f := fact(v, name); f != nil && f.Value != nil {
		return *f.Value
	}
	return 0
}

// without returns facts but those with one of these names.
func without(list report.List[report.Proof], names ...string) report.List[report.Proof] {
	return slices.DeleteFunc(list, func(f report.Proof) bool { return f.Name != "" && slices.Contains(names, f.Name) })
}
