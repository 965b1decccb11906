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
	in := Input{Name: cmp.Or(f.value("run"), f.ofRun), Files: []string{f.path}, Labels: map[string]string{}}
	var scenario []string
	for _, v := range f.values {
		switch {
		case v.Name == "scenario":
			scenario = append(scenario, v.Value)
		case !isRole(v.Name):
			in.Labels[v.Name] = v.Value
		}
	}
	if in.Scenario = strings.Join(scenario, "/"); len(scenario) == 0 {
		in.takeFactors(f.values)
	}
	return in
}

// takeFactors makes factors of named values, and names the scenario by them.
func (in *Input) takeFactors(values []Factor) {
	var scenario []string
	for _, v := range values {
		if !isRole(v.Name) && in.factor(v.Name) == "" {
			in.Factors, scenario = append(in.Factors, v), append(scenario, v.Value)
		}
	}
	in.Scenario, in.Labels = strings.Join(scenario, "/"), map[string]string{}
}

// factor returns the value of a factor; empty for none.
func (in *Input) factor(name string) string { return valueOf(in.Factors, name) }

// valueOf returns the first value of a name; empty for none.
func valueOf(values []Factor, name string) string {
	for _, v := range values {
		if v.Name == name {
			return v.Value
		}
	}
	return ""
}

// runs makes the runs of the files that were found, in the order of scenarios and runs.
func (s *treeSearch) runs() (out []Input) {
	byHost := slices.Contains(s.names, "host")
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
