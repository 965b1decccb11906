package cli_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"mpanalyze/internal/cli"
	"mpanalyze/internal/tracegen"
)

// readsCaptures is the environment variable with which the program of scripts has the true engine.
const readsCaptures = "MPANALYZE_TRUE_ENGINE"

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"mpanalyze": func() {
			e := new(fake).engine()
			if os.Getenv(readsCaptures) != "" {
				e = trueEngine
			}
			os.Exit(int(cli.Main(os.Args[1:], cli.System(), e, "v0-test")))
		},
	})
}

// TestScript runs the scripts whose captures are texts (see fake).
func TestScript(t *testing.T) {
	runScripts(t, "testdata/script", "", func(f *fake) cli.Engine { return f.engine() })
}

// TestScriptOfCaptures runs the scripts that read captures with the true engine. The bundled
// captures are in $SESSIONS, and $ROOT is the directory of the repository.
func TestScriptOfCaptures(t *testing.T) {
	runScripts(t, "testdata/captures", "1", func(*fake) cli.Engine { return trueEngine })
}

// inTurn runs scripts one after the other: the directory of this process is that of the script.
type inTurn struct{ *testing.T }

func (t inTurn) Parallel()     {}
func (t inTurn) Verbose() bool { return testing.Verbose() }
func (t inTurn) Run(name string, f func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { f(inTurn{t}) })
}

// runScripts runs the scripts of a directory. Beside what testscript has, they have these commands:
//
//	ok mpanalyze ARGS            runs the program in this process and demands the exit status 0
//	exits N PROGRAM ARGS         demands the exit status N; mpanalyze runs in this process
//	refused TEXT mpanalyze ARGS  demands status 1, a message with the text, no output, and that nothing was analysed
//	documents FILE ARGS          runs compare and writes all its documents, its messages and its status into the file
//	transfer FILE N              writes a capture of a download, N packets
//
// "exec mpanalyze" starts a process, for what concerns the streams and files that it inherits.
func runScripts(t *testing.T, dir, captures string, engine func(*fake) cli.Engine) {
	root, err1 := filepath.Abs("../..")
	dir, err2 := filepath.Abs(dir)
	assert.NilError(t, errors.Join(err1, err2))
	cache := t.TempDir() // another build of the same version may have left results in that of the user
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Chdir(".") // at the end of the test the process is here again
	testscript.RunT(inTurn{t}, testscript.Params{
		Dir:                 dir,
		UpdateScripts:       golden.FlagUpdate(),
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", "atexit_sleep_ms=0") // else each process waits a second under the race detector
			env.Setenv("ROOT", root)
			env.Setenv("SESSIONS", filepath.Join(root, "testdata", "sessions"))
			env.Setenv(readsCaptures, captures)
			env.Setenv("XDG_CACHE_HOME", cache)
			return nil
		},
		Cmds: commands(engine),
	})
	assert.Check(t, !golden.FlagUpdate(), "the scripts' expectations were written anew")
}

type scriptCommand = func(ts *testscript.TestScript, neg bool, args []string)

func commands(engine func(*fake) cli.Engine) map[string]scriptCommand {
	return map[string]scriptCommand{
		"ok": func(ts *testscript.TestScript, _ bool, args []string) {
			if code := here(ts, engine(new(fake)), args[1:]).code; code != cli.ExitOK {
				ts.Fatalf("exit status %d, want 0", code)
			}
		},
		"exits": func(ts *testscript.TestScript, _ bool, args []string) {
			want, err := strconv.Atoi(args[0])
			ts.Check(err)
			got := 0
			if args[1] == "mpanalyze" {
				got = int(here(ts, engine(new(fake)), args[2:]).code)
			} else if err := ts.Exec(args[1], args[2:]...); err != nil {
				status := new(exec.ExitError)
				if !errors.As(err, &status) {
					ts.Fatalf("%v", err)
				}
				got = status.ExitCode()
			}
			if got != want {
				ts.Fatalf("exit status %d, want %d", got, want)
			}
		},
		"refused": func(ts *testscript.TestScript, _ bool, args []string) {
			f := new(fake)
			r := here(ts, engine(f), args[2:])
			if r.code != cli.ExitFailed || r.out != "" || !strings.Contains(r.err, args[0]) || len(f.asked) > 0 {
				ts.Fatalf("exit status %d, %d analyses; want 1, none, no output and the message %q", r.code, len(f.asked), args[0])
			}
		},
		"documents": documents,
		"transfer": func(ts *testscript.TestScript, _ bool, args []string) {
			packets, err := strconv.Atoi(args[1])
			ts.Check(err)
			var file bytes.Buffer
			ts.Check(tracegen.WriteTransfer(&file, packets, func(int, *tracegen.Packet) bool { return true }))
			ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[0])), 0o777))
			ts.Check(os.WriteFile(ts.MkAbs(args[0]), file.Bytes(), 0o666))
		},
	}
}

// here runs the program in this process, in the directory of the script. Its standard input is the
// file stdin, where there is one.
func here(ts *testscript.TestScript, e cli.Engine, args []string) result {
	ts.Check(os.Chdir(ts.MkAbs(".")))
	r := runOn(e, func(s *cli.Streams) {
		s.Getenv = ts.Getenv
		if text, err := os.ReadFile("stdin"); err == nil {
			s.In = bytes.NewReader(text)
		}
	}, args...)
	fmt.Fprint(ts.Stdout(), r.out)
	fmt.Fprint(ts.Stderr(), r.err)
	return r
}

// documents runs compare with the true engine and writes all that it says and writes into a file: its
// status, the table, messages, the JSON, tables as CSV, Markdown and LaTeX, the values of runs and the page.
func documents(ts *testscript.TestScript, _ bool, args []string) {
	forms := []string{"json", "csv", "values", "latex", "md", "html"}
	to := func(form string) string { return ts.MkAbs("documents." + form) } // the label of the LaTeX table is after its name
	command := append([]string{"compare", "--no-cache", "--style", "digits=6"}, args[1:]...)
	for _, form := range forms {
		if flag := "--" + form; form == "md" || form == "html" {
			command = append(command, "--output", to(form))
		} else {
			command = append(command, flag+"="+to(form))
		}
	}
	r := here(ts, trueEngine, command)
	var all strings.Builder
	fmt.Fprintf(&all, "status %d\n%s%s", r.code, r.out, r.err)
	for _, form := range forms {
		all.WriteString("---- " + form + "\n" + ts.ReadFile(to(form)))
		ts.Check(os.Remove(to(form)))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(all.String()), 0o666))
}
