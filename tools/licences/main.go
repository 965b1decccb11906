// Command licences prints the licence of each module in a list, as CSV: module, version, licence,
// file. It fails if it does not know the licence of a module. From standard input it reads a line
// for each module: its name, its version and its folder. Go is one of them:
//
//	echo "std $(go env GOVERSION) $(go env GOROOT)"
//	go list -deps -f '{{with .Module}}{{.Path}} {{.Version}} {{.Dir}}{{end}}' PACKAGES
//
// With -texts FILE it also writes the texts of these licences. Licences require these texts when
// the program is passed on.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	texts := flag.String("texts", os.DevNull, "write the texts of the licences to `FILE`")
	flag.Parse()
	f, err := os.Create(*texts)
	if err == nil {
		err = errors.Join(list(os.Stdin, os.Stdout, f), f.Close())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

// known are sentences that occur in only one licence. The last one is an exception: the BSD
// licences with two and with three clauses share it.
var known = []struct{ name, sentence string }{
	{"Apache-2.0", "Apache License Version 2.0"},
	{"CC-BY-4.0", "Creative Commons Attribution 4.0 International"},
	{"FTL", "The FreeType License"},
	{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy of this software"},
	{"OFL-1.1", "SIL OPEN FONT LICENSE Version 1.1"},
	{"BSD-3-Clause", "be used to endorse or promote products derived from"},
	{"BSD-2-Clause", "Redistribution and use in source and binary forms"},
}

// recognise returns the names of the licences in a text, or "" if it knows none. A text has several
// licences if the module contains files of others.
func recognise(text string) string {
	words := strings.Join(strings.Fields(text), " ")
	var found []string
	for _, k := range known {
		if strings.Contains(words, k.sentence) && !(k.name == "BSD-2-Clause" && slices.Contains(found, "BSD-3-Clause")) {
			found = append(found, k.name)
		}
	}
	return strings.Join(found, " AND ")
}

// list reads lines with a module, its version and its folder. For each licence of each module it
// writes a line to out and the text to texts.
func list(in io.Reader, out, texts io.Writer) error {
	var modules, unknown []string
	for lines := bufio.NewScanner(in); lines.Scan(); {
		modules = append(modules, lines.Text())
	}
	slices.Sort(modules)
	for _, m := range slices.Compact(modules) {
		f := strings.SplitN(m, " ", 3) // the name of a folder may have spaces
		if len(f) != 3 || f[1] == "" { // a package of the standard library, or of this module, which has no version
			continue
		}
		n, err := licences(out, texts, f[0], f[1], f[2])
		if err != nil {
			return err
		}
		if n == 0 {
			unknown = append(unknown, f[0])
		}
	}
	if len(unknown) > 0 {
		return fmt.Errorf("no licence that is known: %s", strings.Join(unknown, ", "))
	}
	return nil
}

// licences writes a line for each licence in a folder, and returns how many. It writes the text of
// each below a head that names the module.
func licences(out, texts io.Writer, module, version, dir string) (n int, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "LICENSE*"))
	if err != nil {
		return 0, err
	}
	rule := strings.Repeat("=", 78)
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return n, err
		}
		licence, file := recognise(string(text)), filepath.Base(name)
		if licence == "" {
			continue
		}
		n++
		_, err = fmt.Fprintf(out, "%s,%s,%s,%s\n", module, version, licence, file)
		if err == nil {
			_, err = fmt.Fprintf(texts, "%s\n%s %s: %s\n%s\n\n%s\n\n", rule, module, version, file, rule, strings.TrimSpace(string(text)))
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}
