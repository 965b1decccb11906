package page

import (
	"strings"

	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/plot"
)

// timeTitle is the title of the chart that the page begins with.
const timeTitle = "Where the time went: state and throughput of each path"

// openPart is the part of a connection's data from which on a direction has an opening.
const openPart = 0.1

// Openings returns the charts of what the time of the connection's directions went to, which stand
// at the top of the page, too.
func (s *section) Openings() (out []chart) {
	least := openPart * float64(s.A2B.Volume()+s.B2A.Volume())
	for _, x := range s.Charts {
		if x.panel.Rows != nil && float64(s.Dir(x.direction).Volume()) >= least {
			out = append(out, x)
		}
	}
	return out
}

// NoAccount says why it is not known what the time of the direction with the most data went to.
func (s *section) NoAccount() string {
	bulk := s.Bulk()
	if dir := s.Dir(bulk); dir.Volume() > 0 {
		if why, absent := dir.Unavailable.Of("time_account"); absent {
			return "Not known where the time of " + string(bulk) + " went: " + why + "."
		}
	}
	return ""
}

// altOfRows describes a chart of rows in words.
func altOfRows(title string, rows []plot.Row) string {
	text := []string{"Chart. " + title + "."}
	for _, r := range rows {
		row := plaintext.Clean(r.Name)
		if len(r.Words) > 0 {
			row += ": " + strings.Join(r.Words, ", ")
		}
		text = append(text, row+".")
	}
	return strings.Join(text, " ")
}
