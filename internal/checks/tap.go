package checks

import (
	"fmt"
	"io"
	"strings"
)

// named replaces what ends the name of a test in KTAP.
var named = strings.NewReplacer("#", "_", "\n", " ")

// WriteTAP writes the checks in the Kernel Test Anything Protocol, version 1 (Documentation/dev-tools/ktap.rst of Linux). The lines of
// a check stand before its result. A check that cannot be judged has the directive ERROR.
func (s *Suite) WriteTAP(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "KTAP version 1\n1..%d\n# %s %s\n", len(s.Checks), s.Command, s.File)
	for i, c := range s.Checks {
		for _, text := range c.All() {
			fmt.Fprintf(&b, "# %s\n", text)
		}
		result := map[Status]string{Passed: "ok %d %s\n", Failed: "not ok %d %s\n", Unknown: "not ok %d %s # ERROR cannot tell\n"}[c.Status()]
		fmt.Fprintf(&b, result, i+1, named.Replace(c.Name))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
