package campaign

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"mpanalyze/internal/testrun"
)

// TestLaTeXCompiles sets the golden table with pdflatex, as a paper would. It
// must be asked for: the first run of pdflatex may make fonts, for minutes.
func TestLaTeXCompiles(t *testing.T) {
	if !testrun.All() {
		t.Skip("not asked for: " + testrun.Variable + "=all has pdflatex set the table")
	}
	pdflatex, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("pdflatex is not installed: the packages texlive-latex-base and texlive-latex-recommended have it")
	}
	table, err := os.ReadFile(filepath.Join("testdata", "fi23.tex.golden"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	text := "\\documentclass{article}\n\\usepackage[utf8]{inputenc}\n\\usepackage{booktabs}\n\\begin{document}\n" + string(table) + "\n\\end{document}\n"
	if err := os.WriteFile(filepath.Join(dir, "paper.tex"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := testrun.Command(t, pdflatex, "-interaction=nonstopmode", "-halt-on-error", "paper.tex")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
