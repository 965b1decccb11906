// Command gen-completions writes the files with which shells complete command lines of mpanalyze
// into a directory. The text is the output of "mpanalyze completion SHELL".
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"mpanalyze/internal/cli"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gen-completions DIR")
		os.Exit(1)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "gen-completions:", err)
		os.Exit(1)
	}
}

// files lists the shells and the names of the files that they look for.
var files = []struct{ shell, name string }{
	{"bash", "mpanalyze.bash"},
	{"zsh", "_mpanalyze"},
	{"fish", "mpanalyze.fish"},
	{"powershell", "mpanalyze.ps1"},
}

func write(dir string) error {
	for _, f := range files {
		var script bytes.Buffer
		root := cli.NewRoot(cli.Streams{Out: &script, Getenv: func(string) string { return "" }}, cli.Engine{}, "")
		root.SetArgs([]string{"completion", f.shell})
		if err := root.Execute(); err != nil {
			return fmt.Errorf("completion %s: %w", f.shell, err)
		}
		if err := os.WriteFile(filepath.Join(dir, f.name), script.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
