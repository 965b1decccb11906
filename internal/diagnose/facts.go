package diagnose

import (
	"cmp"

	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// fact is what proves a verdict, or a word or a number of its sentence alone, which has no description.
type fact struct {
	report.Proof
	text string
}

// enter enters facts into a verdict; empty ones are left out.
func enter(v *report.Verdict, facts ...fact) {
	for _, f := range facts {
		switch {
		case f.What != "":
			v.Evidence = append(v.Evidence, f.Proof)
		case f.Name != "":
			v.Parameters = append(v.Parameters, report.Parameter{Name: f.Name, Text: f.text, Value: f.Value, Unit: *cmp.Or(f.Unit, new("")), Subflow: f.Subflow})
		}
	}
}

// number returns a figure as a proof. Sentences have it by its name, if it has one.
func number(name, what string, v float64, unit string) fact {
	return fact{Proof: report.Proof{Name: name, What: what, Value: &v, Unit: &unit}}
}

// value returns a figure that only the sentence has.
func value(name string, v float64, unit string) fact { return number(name, "", v, unit) }

// lasted returns a time in ns as a proof, or for the sentence alone where what is empty.
func lasted(name, what string, ns int64) fact {
	return number(name, what, float64(ns)/1e6, "ms")
}

// counted returns how many there are, as a proof, or for the sentence alone where what is empty.
func counted[N int | int64](name, what string, n N) fact {
	return number(name, what, float64(n), "count")
}

// word returns a word for the sentence; an empty one says nothing.
func word(name, text string) fact {
	return only(text != "", fact{Proof: report.Proof{Name: name}, text: text})
}

// when returns a word by which the sentence says what is true.
func when(is bool, name string) fact { return only(is, word(name, "yes")) }

// only returns a fact if it is true.
func only(is bool, f fact) fact {
	if !is {
		return fact{}
	}
	return f
}

// ofSubflow returns a fact about a subflow.
func ofSubflow(sub int, f fact) fact {
	f.Subflow = &sub
	return f
}

// packet returns a packet that was marked as a proof; an empty proof if there is no such
// packet. sub is negative where it concerns no subflow.
func (j *judge) packet(what string, k symptoms.PacketRef, sub int) fact {
	if !k.Seen() {
		return fact{}
	}
	n, t := int64(k.Packet), float64(k.Time-j.start)/1e9
	return fact{Proof: report.Proof{What: what, Packet: &n, TS: &t, Subflow: subflowID(sub)}}
}

// proof returns an event as a proof; an empty one if there is none.
func proof(what string, e *report.Event) fact {
	if e == nil {
		return fact{}
	}
	t := e.TS
	return fact{Proof: report.Proof{What: what, Packet: e.Packet, TS: &t, Subflow: e.Subflow}}
}

func subflowID(sub int) *int {
	if sub < 0 {
		return nil
	}
	return &sub
}

// find returns the first element of a list that fits; nil if there is none.
func find[T any](list []T, fits func(*T) bool) *T {
	for i := range list {
		if fits(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

// parameter returns a parameter of a verdict by its name; nil if there is none.
func parameter(v *report.Verdict, name string) *report.Parameter {
	return find(v.Parameters, func(p *report.Parameter) bool { return p.Name == name })
}

// named returns a proof of a verdict by its name; nil if there is none.
func named(v *report.Verdict, name string) *report.Proof {
	return find(v.Evidence, func(p *report.Proof) bool { return p.Name == name })
}

// figure returns a number of a verdict by its name; 0 if there is none.
func figure(v *report.Verdict, name string) float64 {
	if p := named(v, name); p != nil && p.Value != nil {
		return *p.Value
	}
	if p := parameter(v, name); p != nil && p.Value != nil {
		return *p.Value
	}
	return 0
}
