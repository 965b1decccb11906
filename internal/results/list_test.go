package results_test

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/results"
)

// TestListOf: a list is the same under another mount point, and another one if a file, a name or
// the order differs.
func TestListOf(t *testing.T) {
	list := func(root string, names ...string) (all []campaign.Input) {
		for _, name := range names {
			all = append(all, campaign.Input{Scenario: "s", Name: name, Files: []string{root + name + "/client.pcap"}, Receiver: []string{root + name + "/server.pcap"}})
		}
		return all
	}
	base := results.ListOf(list("/mnt/a/study/", "run1", "run2"))
	for _, root := range []string{"/data/", "", "s3://bucket/x/", "/mnt/a/study/run/"} {
		assert.Check(t, results.ListOf(list(root, "run1", "run2")) == base, "below %q it is another list", root)
	}
	moved := list("/mnt/a/study/", "run1", "run2")
	moved[1].Files[0] = "/mnt/b/study/run2/client.pcap" // one file of the list alone
	for what, other := range map[string][]campaign.Input{
		"another order": list("/mnt/a/study/", "run2", "run1"),
		"a shorter one": list("/mnt/a/study/", "run1"),
		"another name":  list("/mnt/a/study/", "run1", "run3"),
		"a moved file":  moved,
	} {
		assert.Check(t, results.ListOf(other) != base, "%s is the same list", what)
	}
}
