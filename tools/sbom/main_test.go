package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// TestBill makes the bill of this test's own program: every module that it is linked
// of is in it, with its licence, and a second bill is the same.
func TestBill(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || len(info.Deps) == 0 {
		t.Fatal("this program says nothing of its modules")
	}
	var list strings.Builder
	for _, m := range info.Deps {
		list.WriteString(m.Path + "," + m.Version + ",MIT AND BSD-3-Clause,LICENSE\n")
	}
	licences := filepath.Join(t.TempDir(), "licences.csv")
	if err := os.WriteFile(licences, []byte(list.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var one, two bytes.Buffer
	for _, w := range []*bytes.Buffer{&one, &two} {
		if err := run(w, []string{program}, "1.2.3", licences, "1700000000"); err != nil {
			t.Fatal(err)
		}
	}
	if one.String() != two.String() {
		t.Error("two bills of one program differ")
	}
	var got struct {
		BOMFormat, SpecVersion string
		Metadata               struct {
			Timestamp string
			Component struct{ Name, Version string }
		}
		Components []struct {
			Name, Version, Purl string
			Licenses            []struct{ Expression string }
		}
		Dependencies []struct{ DependsOn []string }
	}
	if err := json.Unmarshal(one.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.BOMFormat != "CycloneDX" || got.SpecVersion != "1.6" || got.Metadata.Timestamp != "2023-11-14T22:13:20Z" || got.Metadata.Component.Version != "1.2.3" {
		t.Errorf("%+v", got)
	}
	if n := len(info.Deps) + 1; len(got.Components) != n || len(got.Dependencies) != 1 || len(got.Dependencies[0].DependsOn) != n {
		t.Fatalf("%d components, %+v, want %d", len(got.Components), got.Dependencies, n)
	}
	if std := got.Components[0]; std.Name != "std" || std.Version != runtime.Version() {
		t.Errorf("%+v", std)
	}
	for i, m := range info.Deps {
		c := got.Components[i+1]
		if c.Name != m.Path || c.Version != m.Version || c.Purl != "pkg:golang/"+m.Path+"@"+m.Version || len(c.Licenses) != 1 || c.Licenses[0].Expression != "MIT AND BSD-3-Clause" {
			t.Errorf("%+v, want %s %s", c, m.Path, m.Version)
		}
	}

	if err := os.WriteFile(licences, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(&one, []string{program}, "1.2.3", licences, "1"); err == nil || !strings.Contains(err.Error(), "no licence is known") {
		t.Errorf("modules without a licence: %v", err)
	}
	if err := run(&one, []string{licences}, "1.2.3", licences, "1"); err == nil {
		t.Error("a text passed for a program")
	}
}
