package internal_test
import ("testing";"os";"path/filepath";"slices";"strings";"reflect";"maps";"mpanalyze/internal/report")
func TestDiscover(t *testing.T) {
	pinned, fields := map[string]bool{}, map[string]reflect.StructField{}
	for _, root := range []reflect.Type{reflect.TypeFor[report.Document](), reflect.TypeFor[report.ShortConnection](), reflect.TypeFor[report.ShortTCP]()} {
		reportFields(root, fields)
	}
	truths(t, pinned)
	types := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if typ, f, _ := strings.Cut(name, "."); !pinned[name] { types[typ] = append(types[typ], f) }
	}
	type cand struct{ pkg, test string; have []string }
	cands := map[string][]cand{}
	var dirs []string
	filepath.WalkDir(".", func(p string, d os.DirEntry, err error) error { if d.IsDir() { dirs = append(dirs, p) }; return nil })
	for _, dir := range dirs {
		s := readTests(t, dir)
		for name := range s {
			if !strings.HasPrefix(name, "Test") { continue }
			names := map[string]bool{}
			s.expects(name, map[string]bool{}, func(typ, field string) { names[typ+"."+field] = true })
			for typ, fs := range types {
				var have []string
				for _, f := range fs { js := report.JSONName(fields[typ+"."+f]); if names["."+f] || names[typ+"."+f] || names["."+js] { have = append(have, f) } }
				if len(have) > 0 { cands[typ] = append(cands[typ], cand{dir, name, have}) }
			}
		}
	}
	for _, typ := range slices.Sorted(maps.Keys(types)) {
		t.Log("==", typ, len(types[typ]))
		left := slices.Clone(types[typ])
		for range 12 {
			best, most := cand{}, 0
			for _, c := range cands[typ] {
				if !slices.Contains([]string{"build", "metrics", "pair", "pair/clock", "engine", "evidence", "fairness", "report", "jsonreport"}, c.pkg) { continue }
				n := 0
				for _, f := range c.have { if slices.Contains(left, f) { n += 10 } }
				if c.pkg == "build" && n > 0 { n += 5 }
				if n > most { best, most = c, n }
			}
			if most == 0 { break }
			var now []string
			left = slices.DeleteFunc(left, func(f string) bool { if slices.Contains(best.have, f) { now = append(now, f); return true }; return false })
			t.Log("    ", best.pkg, best.test, now)
		}
		t.Log("    LEFT", left)
	}
}
