package metrics

import (
	_ "embed"
	"sync"

	"mpanalyze/internal/catalogue"
)

// stateRows has what is told of each state of [timeAccount], in the order of their precedence.
//
//go:embed states.json
var stateRows []byte

// States returns what the explain command knows of the states of time_account. A metric and a verdict
// may have the same name.
var States = sync.OnceValue(func() []catalogue.Metric {
	all := decoded(stateRows)
	for i := range all {
		m := &all[i]
		m.JSON, m.Unit, m.Levels, m.Better, m.Family = "time_account."+m.Name, catalogue.Composite, catalogue.InBothDirs, catalogue.NeitherIsBetter, catalogue.FamilyVerdicts
		m.Evidence = catalogue.Evidence{Sender: catalogue.Inferred, Receiver: catalogue.Inferred, Both: catalogue.Inferred}
	}
	return all
})

// stateList returns a list with a text of each state.
func stateList(text func(*catalogue.Metric) string) (list string) {
	for i := range States() {
		list += "\n- " + States()[i].Name + ": " + text(&States()[i])
	}
	return list
}
