package sentences

import (
	_ "embed"
	"strings"

	"mpanalyze/internal/catalogue"
)

// settings are the commands and sysctls, or how several of them begin, that not every kernel has. They decide from which
// release on a clause of the texts holds. testdata/settings.md lists every command and every sysctl of the texts, with the
// sources.
var settings = catalogue.Read[[]struct {
	Text    string
	Since   release // first release of mainline Linux that is known to have it
	Without string  // what a kernel that lacks it does or takes instead, a clause; empty for nothing
}](settingRows)

//go:embed settings.json
var settingRows []byte

// needs returns the first release that has all settings of a clause, and what holds for
// kernels before it.
func needs(clause string) (since release, without string) {
	for _, s := range settings {
		if since.before(s.Since) && strings.Contains(clause, s.Text) {
			since, without = s.Since, s.Without
		}
	}
	return since, without
}
