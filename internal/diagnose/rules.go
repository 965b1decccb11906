package diagnose

import (
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
	"mpanalyze/internal/subflow"
	"mpanalyze/internal/symptoms"
)

// A rule is a section of the file of a verdict: an expression of github.com/expr-lang/expr that gives a [finding], or nil where there
// is nothing to say. Section "found" has a rule on the connection, "found subflow" one on each subflow, "found direction" one on
// the data that a side sends, "found path" one on this data on each subflow.

// finding is a verdict to which a rule gives further properties.
type finding struct{ *report.Verdict }

// Costs enters the cost, percent, and the time of its direction that it took, ns.
func (v finding) Costs(percent, ns any) finding { return v.Cost(percent).Took(ns) }

// Cost enters the cost alone, percent.
func (v finding) Cost(percent any) finding { v.Verdict.Cost = new(toFloat(percent)); return v }

// Took enters the time alone, ns.
func (v finding) Took(ns any) finding { took(v.Verdict, int64(toFloat(ns))); return v }

// Bytes enters how many bytes it concerns.
func (v finding) Bytes(n any) finding { concernsBytes(v.Verdict, int64(toFloat(n))); return v }

// Unknown says why the cost is not known.
func (v finding) Unknown(why string) finding { v.CostUnknown = why; return v }

// Of enters the subflow that it concerns: its number, or nil.
func (v finding) Of(sub any) finding {
	switch x := sub.(type) {
	case *int:
		v.Subflow = x
	case int:
		v.Subflow = &x
	}
	return v
}

// Likely says that it is likely only, if that is so.
func (v finding) Likely(is bool) finding {
	if is {
		v.Certainty = report.Likely
	}
	return v
}

// say returns a finding on a verdict of a severity and a form, with facts, each one or a list.
func say(code string, severity report.Severity, form string, facts ...any) finding {
	v := &report.Verdict{Code: report.VerdictCode(code), Severity: severity, Certainty: report.Certain, Form: form}
	enterAll(v, facts)
	return finding{v}
}

// enterAll enters facts and lists of facts.
func enterAll(v *report.Verdict, facts []any) {
	for _, f := range facts {
		switch f := f.(type) {
		case fact:
			enter(v, f)
		case []fact:
			enter(v, f...)
		case []any:
			enterAll(v, f)
		}
	}
}

// names returns what the rules know of a connection. The values that belong to a subflow or a direction are set where a
// rule is applied, and until then have no more than their types.
func (j *judge) names() map[string]any {
	out := maps.Clone(constants())
	maps.Copy(out, map[string]any{
		"m": j.m, "c": j.c, "start": j.start, "timed": j.timed, "at": j.at, "packet": j.packet, "dataFIN": j.dataFIN, "malformedBefore": j.malformedBefore, "closingEnd": j.closingEnd,
		"uncapturedBytes": j.uncapturedBytes, "nothingSent": j.nothingSent, "atSender": j.atSender, "neverCarried": j.neverCarried, "verdicts": func() []report.Verdict { return j.out },
		"event": func(kind string) *report.Event { return j.event(report.EventKind(kind)) },
		"has": func(codes ...string) bool {
			return slices.ContainsFunc(codes, func(code string) bool { return j.has(report.VerdictCode(code)) })
		},
		"here": func(code string) bool { // on this data on this subflow
			return j.concerning(j.known["id"].(int), j.known["from"].(conn.Side), report.VerdictCode(code)) != nil
		},
		"flow": func(from conn.Side) *symptoms.DataDir { return j.m.Symptoms.Dir(from) },
		"heard": func(from conn.Side) (last int64) { // the latest packet of a side, ns
			for _, s := range j.m.Subs {
				last = max(last, s.Sub.Senders[from].Last())
			}
			return last
		},
		"unanswered": func(from conn.Side) (bytes int64) { // that their first subflow never acknowledged
			for _, s := range j.subflows() {
				bytes += s.Sub.Senders[from].InFlight()
			}
			return bytes
		},
		"lost": func(from conn.Side) (segments int64) {
			for i := range j.c.Subflows {
				if d := j.subDir(i, from); d != nil && d.Drops != nil {
					segments += d.Drops.Count
				}
			}
			return segments
		},
		"mainSender": j.mainSender, "allAnnounced": j.allAnnounced, "ended": j.ended, "crossed": j.crossed, "unfinished": j.unfinished,
		"over":        func(s *metrics.Sub) bool { return j.over(&s.Reset) },
		"withoutRoom": j.withoutRoom, "whyFull": j.whyFull, "unread": unread, "atMost": j.atMost, "pathsTime": pathsTime,
		"ofSender":   func(from conn.Side) bool { return j.m.Role(from) == metrics.Sender },
		"subOf":      func(e *report.Event) *metrics.Sub { return j.m.Subs[*e.Subflow] },
		"silence":    func(h symptoms.Handover) fact { return silence(&h) },
		"silentFrom": func(h symptoms.Handover) fact { return j.silentFrom(&h) },
		"elsewhere":  func(h symptoms.Handover) []fact { return j.elsewhere(&h) },
		"senderOf":   func(s *metrics.Sub, of conn.Side) *subflow.Sender { return &s.Sub.Senders[of] },
		"overSoon":   func(s *metrics.Sub) bool { return j.overSoon(&s.Handshake) },
		"offer":      func(of conn.Side) conn.Offer { return j.m.Conn.Offers[of] },
		"dataFINOf":  func(of conn.Side) int64 { return j.m.Conn.DataFIN[of] },
		"early": func(sub int, since any, form string, facts ...fact) bool {
			return j.early(sub, reflect.ValueOf(since).Int(), form, facts...)
		},
		"ackDelay": func(from conn.Side, sub int) float64 { // ms; 0 where it is not known
			ms, _ := j.m.Dir(from).AckDelay(sub)
			return ms
		},
		"from": conn.A, "to": conn.B, "d": (*report.ConnDir)(nil), "t": (*symptoms.DataDir)(nil), "space": (*dss.Space)(nil), "fin": int64(0), "id": -1,
		"s": (*metrics.Sub)(nil), "h": (*symptoms.Handshake)(nil), "snd": (*subflow.Sender)(nil), "peer": (*subflow.Sender)(nil), "p": (*symptoms.Path)(nil), "x": (*report.SubDir)(nil), "least": 0.0, "handover": symptoms.Handover{},
	})
	return out
}

// constants returns the names that are the same for all connections.
var constants = sync.OnceValue(func() map[string]any {
	out := map[string]any{
		"say": say, "verdict": func(s report.Severity, form string, facts ...any) finding { return say("", s, form, facts...) }, "hmacInvalid": conn.HMACInvalid,
		"note": report.Minor, "warning": report.Major, "critical": report.Critical, "warningIf": warningIf, "A": conn.A, "B": conn.B, "nowhere": conn.Unknown,
		"number":  func(name, what string, v any, unit string) fact { return number(name, what, toFloat(v), unit) },
		"value":   func(name string, v any, unit string) fact { return value(name, toFloat(v), unit) },
		"counted": func(name, what string, n any) fact { return number(name, what, toFloat(n), "count") },
		"lasted":  func(name, what string, ns any) fact { return lasted(name, what, int64(toFloat(ns))) },
		"percent": func(part, whole any) float64 { return percent(int64(toFloat(part)), int64(toFloat(whole))) },
		"word":    word, "when": when, "only": only, "proof": proof, "side": side, "sender": sender, "faulty": faulty, "answered": answered, "refused": false, "held": false, "queues": false, "pausesTell": pausesTell, "sinceSent": symptoms.SinceSent, "cell": cell,
		"reset": func(s *metrics.Sub) []fact { return reset(&s.Reset) }, "ends": func(s *metrics.Sub, of conn.Side) packet.Endpoint { return s.Sub.Ends[of] },
		"probing": func(s *metrics.Sub) subflow.Probes { return s.Sub.Senders[s.Reset.From].Probing },
	}
	for name, v := range Limits() {
		out[name] = v
	}
	return out
})

// toFloat returns a number of any type.
func toFloat(v any) float64 {
	switch x := reflect.Indirect(reflect.ValueOf(v)); {
	case x.CanInt():
		return float64(x.Int())
	case x.CanUint():
		return float64(x.Uint())
	default:
		return x.Float()
	}
}

// search adds what the rules of these verdicts find, in this order, and reports whether they find anything. Those on a direction or a
// path look at the data that side from sends.
func (j *judge) search(from conn.Side, codes ...report.VerdictCode) bool {
	n := len(j.out)
	for _, code := range codes {
		k := Kinds()[code]
		j.set(map[string]any{
			"id": -1, "h": &j.m.Subs[0].Handshake, "from": from, "to": from.Other(), "d": j.dir(from), "t": j.m.Symptoms.Dir(from), "space": &j.m.Conn.Spaces[from], "fin": j.m.Conn.DataFIN[from],
		})
		j.apply(k, "found")
		j.apply(k, "found direction")
		if k.Parts["found subflow"] == "" && k.Parts["found path"] == "" {
			continue
		}
		for i := range j.subflows() {
			j.onPath(i, from)
			j.apply(k, "found subflow")
			j.apply(k, "found path")
		}
	}
	return len(j.out) > n
}

// onPath sets what rules know of a subflow and of the data that side from sends over it.
func (j *judge) onPath(i int, from conn.Side) {
	s, x := j.m.Subs[i], j.subDir(i, from)
	j.set(map[string]any{
		"id": i, "s": s, "h": &s.Handshake, "from": from, "to": from.Other(), "snd": &s.Sub.Senders[from], "peer": &s.Sub.Senders[from.Other()], "p": s.Path(from), "x": x,
		"least": leastRoundTrip(x, &j.c.Subflows[i]),
	})
}

// set gives names their values.
func (j *judge) set(more map[string]any) {
	if j.known == nil {
		j.known = j.names()
	}
	maps.Copy(j.known, more)
}

// decide adds what the first rule that fits says, of the rules of one file. It reports whether there is one.
func (j *judge) decide(name string, more map[string]any) bool {
	j.set(map[string]any{"id": -1, "h": &j.m.Subs[0].Handshake})
	j.set(more)
	text, err := files.ReadFile("rules/" + name + ".expr")
	if err != nil {
		panic(err) // a test reads all files
	}
	v, found := j.evaluate(string(text)).(finding)
	if found {
		j.out = append(j.out, *v.Verdict)
	}
	return found
}

// apply adds what the rule of a section finds, if there is one. It reports whether the rule says anything: a verdict, or that it is too
// early for one.
func (j *judge) apply(k *Kind, section string) bool {
	text, has := k.Parts[section]
	if !has {
		return false
	}
	says := j.evaluate(text)
	if v, ok := says.(finding); ok {
		v.Code = k.Code
		if id := j.known["id"].(int); id >= 0 {
			v.Subflow = &id
		}
		if section == "found direction" || section == "found path" {
			v.Direction = direction(j.known["from"].(conn.Side))
		}
		j.out = append(j.out, *v.Verdict)
	}
	return says != nil
}

// evaluate returns what a rule says: a [finding], or nil for nothing.
func (j *judge) evaluate(text string) any {
	says, err := expr.Run(compiled(text), j.known)
	if err != nil {
		panic(err.Error() + " in the rule\n" + text) // no rule has a fault where its facts are complete
	}
	return says
}

// programs holds the rules that were used, by their text. It is bounded by the sections of files.
var programs sync.Map

func compiled(text string) *vm.Program {
	if p, ok := programs.Load(text); ok {
		return p.(*vm.Program)
	}
	p, err := expr.Compile(text, expr.Env((&judge{}).names()))
	if err != nil {
		panic(err.Error() + " in the rule\n" + text) // a test compiles all rules
	}
	programs.Store(text, p)
	return p
}
