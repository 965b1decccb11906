package report

import (
	"cmp"
	"slices"
	"strconv"
)

// PathLabels returns a name for each subflow, for figures. The name is the path. If
// several subflows ran on one path, the one with the most bytes has the name of the
// path, the next one is "PATH#2", and so on. No two subflows have one name, even if a path
// is named like that. Subflows that carried nothing, such as refused joins, have no name.
func (c *Connection) PathLabels() []string {
	order := make([]int, len(c.Subflows))
	for i := range order {
		order[i] = i
	}
	carried := func(i int) int64 { return c.Subflows[i].A2B.Volume() + c.Subflows[i].B2A.Volume() }
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(carried(j), carried(i)) })
	labels, taken, last := make([]string, len(c.Subflows)), map[string]bool{}, map[string]int{}
	for _, i := range order {
		if carried(i) == 0 {
			continue
		}
		path := c.Subflows[i].Path
		label := path
		for last[path] = max(last[path], 1); taken[label]; {
			last[path]++
			label = path + "#" + strconv.Itoa(last[path])
		}
		labels[i], taken[label] = label, true
	}
	return labels
}
