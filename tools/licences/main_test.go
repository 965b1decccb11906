package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	mit    = "Permission is hereby granted, free of charge, to any\nperson obtaining a copy of this software"
	bsd    = "Redistribution and use in source and binary\nforms, with or without"
	clause = "\n may be used to endorse or promote\nproducts derived from"
)

func TestRecognise(t *testing.T) {
	for text, want := range map[string]string{
		mit: "MIT", bsd: "BSD-2-Clause", bsd + clause: "BSD-3-Clause", bsd + clause + "\n\n" + mit: "MIT AND BSD-3-Clause",
		"All rights reserved.": "",
	} {
		if got := recognise(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestList: a module without a licence that is known is an error with its name.
func TestList(t *testing.T) {
	good, bad := filepath.Join(t.TempDir(), "a folder"), t.TempDir()
	if err := os.Mkdir(good, 0o755); err != nil {
		t.Fatal(err)
	}
	for dir, text := range map[string]string{good: mit, bad: "All rights reserved."} {
		if err := os.WriteFile(filepath.Join(dir, "LICENSE"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out, texts strings.Builder
	in := "\nexample.org/good v1.2.3 " + good + "\nmpanalyze  /here\nexample.org/good v1.2.3 " + good + "\n"
	if err := list(strings.NewReader(in), &out, &texts); err != nil || out.String() != "example.org/good,v1.2.3,MIT,LICENSE\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
	if err := list(strings.NewReader(in+"example.org/bad v0.1.0 "+bad+"\n"), &out, &texts); err == nil || !strings.Contains(err.Error(), "example.org/bad") {
		t.Errorf("a module without a licence: %v", err)
	}
	head, rule := "example.org/good v1.2.3: LICENSE\n", strings.Repeat("=", 78)+"\n"
	if got, want := texts.String(), rule+head+rule+"\n"+mit+"\n\n"; !strings.HasPrefix(got, want) || strings.Contains(got, "reserved") {
		t.Errorf("texts:\n%s\nwant\n%s", got, want)
	}
}
