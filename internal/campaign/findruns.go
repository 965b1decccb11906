package campaign

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mpanalyze/internal/bykey"
)

// isRole reports whether a name in a pattern has a fixed meaning.
func isRole(name string) bool { return name == "scenario" || name == "run" || name == "host" }

// input returns the run that a file belongs to.
func (f *found) input() Input {
	in := Input{Name: f.value("run"), Files: []string{f.path}, Labels: map[string]string{}}
	if in.Name == "" {
		in.Name = f.ofRun
	}
	var scenario []string
	for _, v := range f.values {
		switch {
		case v[0] == "scenario":
			scenario = append(scenario, v[1])
		case isRole(v[0]):
		default:
			in.Labels[v[0]] = v[1]
		}
	}
	in.Scenario = strings.Join(scenario, "/")
	if len(scenario) == 0 {
		in.takeFactors(f.values)
	}
	return in
}

// takeFactors makes factors of named values, and names the scenario by them.
func (in *Input) takeFactors(values [][2]string) {
	var scenario []string
	for _, v := range values {
		if !isRole(v[0]) && in.factor(v[0]) == "" {
			in.Factors = append(in.Factors, Factor{v[0], v[1]})
			scenario = append(scenario, v[1])
		}
	}
	in.Scenario, in.Labels = strings.Join(scenario, "/"), map[string]string{}
}

// factor returns the value of a factor; empty for none.
func (in *Input) factor(name string) string {
	for _, f := range in.Factors {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

// runs makes the runs of the files that were found, in the order of scenarios and runs.
func (s *treeSearch) runs() (out []Input) {
	byHost := slices.Contains(slices.Concat(s.names...), "host")
	slices.SortStableFunc(s.files, func(f, g found) int {
		a, b := f.input(), g.input()
		return cmp.Or(CompareNames(a.Scenario, b.Scenario), CompareNames(a.Name, b.Name), labelOrder(a, b), CompareNames(f.value("host"), g.value("host")), CompareNames(f.path, g.path))
	})
	for len(s.files) > 0 {
		in := s.files[0].input()
		n := 1
		for n < len(s.files) && sameRun(in, s.files[n].input()) {
			n++
		}
		in.Files = nil
		for _, f := range s.files[:n] {
			in.Files = append(in.Files, f.path)
		}
		if byHost {
			in.split(s.files[:n])
		}
		out, s.files = append(out, in), s.files[n:]
	}
	return out
}

func sameRun(a, b Input) bool {
	return a.Scenario == b.Scenario && a.Name == b.Name && labelOrder(a, b) == 0
}

func labelOrder(a, b Input) int {
	return strings.Compare(fmt.Sprint(a.Labels), fmt.Sprint(b.Labels)) // fmt sorts the keys
}

// split makes a pair of the files of a run, which are sorted by host.
func (in *Input) split(files []found) {
	var have bykey.Lists[string]
	for _, f := range files {
		have.Add(f.value("host"), f.path)
	}
	switch hosts := have.Keys; len(hosts) {
	case 2:
		in.Files, in.Receiver, in.Swap = have.Of[hosts[0]], have.Of[hosts[1]], true
	case 1:
		in.Problem = fmt.Sprintf("has the capture of %s only; {host} takes those of two hosts", hosts[0])
	default:
		in.Problem = fmt.Sprintf("has captures of %d hosts (%s); {host} takes those of two", len(hosts), strings.Join(hosts, ", "))
	}
}
