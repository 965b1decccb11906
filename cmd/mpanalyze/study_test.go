package main

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report/reporttest"
	"mpanalyze/internal/schemas"
	"mpanalyze/internal/testrun"
)

// TestStudySchema checks the output of compare --json with its schema: a study with a baseline
// and a ranking, and one of a single run.
func TestStudySchema(t *testing.T) {
	schema := reporttest.Schema(t, schemas.Of("compare"))
	dir, env := workshop(t)
	for _, args := range []string{
		"LIA=a1.pcap,a2.pcap OLIA=b1.pcap,b2.pcap --baseline old=a3.pcap,b3.pcap --rank bytes --limit retransmission=2%",
		"LIA=a1.pcap",
		"--pattern study/{scheduler}/{cc}/run{run}/{host}.pcap --within scheduler",
		"--pattern study/{scheduler}/{cc}/run{run}/{host}.pcap --factor cc",
	} {
		cmd := testrun.Command(t, "mpanalyze", append(strings.Fields("compare --json --no-cache"), strings.Fields(args)...)...)
		cmd.Path, cmd.Dir, cmd.Env = dir+"/bin/mpanalyze", dir, env
		cmd.Err = nil // the program is not on this process's path
		out, err := cmd.Output()
		assert.NilError(t, err, "compare %s", args)
		study := reporttest.JSON(t, out)
		assert.Check(t, schema.Validate(study), "compare %s", args)
		delete(study.(map[string]any), "scenarios")
		assert.Check(t, schema.Validate(study) != nil, "compare %s: a study without scenarios is valid too", args)
	}
}
