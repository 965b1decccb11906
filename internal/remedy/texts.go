package remedy

import (
	_ "embed"
	"encoding/json"
	"strings"
	"sync"

	"mpanalyze/internal/report"
)

// file has the advice for each code, and parts that several texts have in common, which stand in braces
// there. docs/remedies.md has the sources of the commands and sysctls in it.
//
//go:embed texts.json
var file []byte

// all returns the advice for each code.
var all = sync.OnceValue(func() map[report.VerdictCode]advice {
	var read struct {
		Parts  map[string]string
		Advice []advice
	}
	if err := json.Unmarshal(file, &read); err != nil {
		panic("remedy: texts.json: " + err.Error()) // a test reads the file
	}
	var parts []string
	for name, text := range read.Parts {
		parts = append(parts, "{"+name+"}", text)
	}
	fill, out := strings.NewReplacer(parts...), map[report.VerdictCode]advice{}
	for _, a := range read.Advice {
		out[a.Code] = advice{a.Code, fill.Replace(a.Does), fill.Replace(a.Upstream), fill.Replace(a.OutOfTree)}
	}
	return out
})
