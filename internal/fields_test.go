package internal_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
)

// pinnedBy are tests that compare fields of a report with numbers that they know by arithmetic, from another
// program or from the text of a record. What such a test compares, its source tells, and that of what it uses;
// types are those of which the table believes it.
var pinnedBy = []struct{ pkg, test, types string }{
	// Figures of sessions by arithmetic.
	{"build", "TestFiguresByHand", "ConnDir SubDir Stat SpreadStat SRTTStat RateStat WaitStat OffsetStat OutOfOrder Retransmissions Bursts CwndDecisions SchedulerRegret StateTime"},
	{"build", "TestHandoverByHand", "ConnDir SubDir Handover Retransmissions ResetReason"},
	{"build", "TestCopiesByHand", "Retransmissions ReinjectionWorth"},
	{"build", "TestWindowsByHand", "ConnDir SubDir BufferBlocking RecPathList RecPath"},
	{"build", "TestRarePackets", "SubDir"},
	{"build", "TestGapsOf", "TCP SubDir CaptureGap GapEnd GapBytes"},
	{"build", "TestGapsOmitted", "Connection TCP"},
	{"build", "TestLatePackets", "SubDir"},
	{"build", "TestEvidenceIsWhatTheTableSays", "Streaming"},
	{"metrics", "TestTimeAccountOfReport", "TimeAccount"},
	{"metrics", "TestCwndEstimate", "CwndDecisions"},
	{"metrics", "TestStreaming", "Streaming"},
	{"metrics", "TestMessages", "Messages"},
	// Who is who, states, events.
	{"build", "TestConnection", "Connection Subflow Event ResetReason"},
	{"build", "TestStates", "TCP"},
	{"build", "TestFacts", "EventFacts"},
	{"build", "TestCapable", "Capable CapableFlags"},
	{"build", "TestFastOpen", "FastOpen Subflow TCP"},
	{"build", "TestBuilder", "Connection"},
	{"build", "TestLoneAgain", "Endpoint"},
	{"engine", "TestFastOpenPlain", "FastOpen"},
	{"engine", "TestStreamingOfRealSource", "ConnDir SubDir"},
	{"conn", "TestFallbackByPatience", "Connection"},
	// Two captures.
	{"build", "TestMatched", "SubDir Drops Network"},
	{"build", "TestSumUp", "ConnDir PathShare"},
	{"build", "TestDelivery", "ReinjectionWorth"},
	{"build", "TestConnDir", "ConnDir DeliveryStat"},
	{"build", "TestAdvance", "Handover"},
	{"build", "TestMerge", "Connection Subflow TCP"},
	{"build", "TestNewClock", "Clock"},
	// Verdicts.
	{"build", "TestWaits", "Verdict Proof"},
	{"diagnose", "TestCosts", "Verdict"},
	{"diagnose", "TestCauseOfPair", "Verdict Cause"},
	{"diagnose", "TestRankedByAccount", "Verdict"},
	{"diagnose", "TestReset", "Verdict"},
	{"diagnose", "TestJoinCauses", "Verdict"},
	{"diagnose", "TestTwice", "Warning"},
	{"engine", "TestClockStepIsTakenOut", "Warning"},
	// Short forms.
	{"jsonreport", "TestShortByHand", "ShortConnection ShortSubflow ShortTCP ShortVerdict"},
	// Files and options.
	{"engine", "TestCaptureOfReport", "Capture Skipped"},
	{"engine", "TestCutAtEveryByte", "Capture Damage"},
	{"engine", "TestOneCaptureAlone", "Capture"},
	{"engine", "TestReportSaysItsMaking", "Capture"},
	{"engine", "TestOptionsOfReport", "MadeBy Options"},
	// Records of the hosts.
	{"engine", "TestRecordFields", "ConnectionKernel SubflowKernel KernelStat"},
	{"engine", "TestAgreementOfRows", "Agreement Agreeing AgreeingSRTT SubflowKernel"},
	{"evidence", "TestHostReport", "HostRecords RecordClock RecordFile RecordLimits RecordEndpoint RecordInterface"},
	{"engine", "TestCauseOfReceiver", "Verdict TimeAccount"},
	{"evidence", "TestPlainKernel", "TCPKernel TCPKernels ConnectionKernel ConnectionKernels SubflowKernels"},
	{"evidence", "TestAccountWords", "KernelCause"},
	{"evidence", "TestKernelLine", "KernelLine"},
	{"evidence", "TestSetClock", "RecordClock"},
	// Fairness.
	{"fairness", "TestFairness", "Fairness FairPath FairFlow FairConnection"},
	{"fairness", "TestBounds", "Fairness"},
}

// noNumber are the fields that no number pins, and why.
var noNumber = map[string]string{
	"Document.Schema":           "it is the same in every report, and the schema demands it",
	"Damage.Message":            "it is for people: the tests of capture hold its words",
	"FairConnection.Connection": "the connection of the test has number 0",
	"FairFlow.Connection":       "likewise, and null for plain TCP",
}

// TestFieldsArePinned: somewhere each field of the report is compared with a value that is not its default, or it
// says why not. Otherwise a field that is forgotten, or mixed up with another one, would look right.
func TestFieldsArePinned(t *testing.T) {
	fields := map[string]reflect.StructField{}
	for _, root := range []reflect.Type{reflect.TypeFor[report.Document](), reflect.TypeFor[report.ShortConnection](), reflect.TypeFor[report.ShortTCP]()} {
		reportFields(root, fields)
	}
	pinned, parts := map[string]bool{}, map[reflect.Type]int{} // parts: how many fields have a type of the report
	for _, x := range fields {
		if under(x.Type).Kind() == reflect.Struct {
			parts[under(x.Type)]++
		}
	}
	truths(t, pinned)
	tests := map[string]testSource{}
	for _, row := range pinnedBy {
		if tests[row.pkg] == nil {
			tests[row.pkg] = readTests(t, row.pkg)
		}
		s := tests[row.pkg]
		if s[row.test] == nil {
			t.Errorf("package %s has no test %s", row.pkg, row.test)
			continue
		}
		found := 0
		s.expects(row.test, map[string]bool{}, func(name string) {
			for full, x := range fields {
				in, _, _ := strings.Cut(full, ".")
				if (x.Name == name || report.JSONName(x) == name) && slices.Contains(strings.Fields(row.types), in) {
					found, pinned[full] = found+1, true
				}
			}
		})
		assert.Check(t, found != 0, "%s.%s compares no field of %s", row.pkg, row.test, row.types)
	}
	for name, x := range fields {
		if x.Type == reflect.TypeFor[report.Reasons]() || parts[under(x.Type)] == 1 {
			pinned[name] = true // [reporttest.Check] holds reasons; the fields of a type of its own pin it
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if why := noNumber[name]; !pinned[name] && why == "" {
			t.Errorf("no test compares %s with a number: write one, or say why there is none", name)
		} else if pinned[name] && why != "" {
			t.Errorf("%s is compared with a number: take it out of noNumber", name)
		}
	}
}

// under returns what a pointer points to, or a list holds.
func under(of reflect.Type) reflect.Type {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	return of
}

// reportFields returns the fields of the JSON form of a type and of all types in it, by the name of the
// type that declares them, as in "Drops.Count".
func reportFields(of reflect.Type, out map[string]reflect.StructField) {
	of = under(of)
	if of.Kind() != reflect.Struct || of == reflect.TypeFor[report.Reason]() {
		return
	}
	for x := range of.Fields() {
		name := of.Name() + "." + x.Name
		if _, seen := out[name]; seen || report.JSONName(x) == report.NoJSON {
			continue
		}
		if !x.Anonymous {
			out[name] = x
		}
		reportFields(x.Type, out)
	}
}

// fact is one figure of a session and its true value; engine compares reports with it.
type fact struct {
	Field, Subflow, Contains string
	Want                     any
	Between                  []float64
}

// truths marks the fields for which a bundled session has a true value that is not the default.
func truths(t *testing.T, pinned map[string]bool) {
	names, err := filepath.Glob("../testdata/sessions/*/*/expected.json")
	if err != nil || len(names) < 10 {
		t.Fatalf("%d sessions: %v", len(names), err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		assert.NilError(t, err)
		var x struct {
			Facts            []fact
			Connections, TCP []struct{ Facts []fact }
		}
		assert.NilError(t, json.Unmarshal(text, &x), "%v", name)
		for _, f := range x.Facts {
			f.mark(reflect.TypeFor[report.Document](), pinned)
		}
		for _, c := range x.Connections {
			for _, f := range c.Facts {
				if f.Subflow != "" {
					f.mark(reflect.TypeFor[report.Subflow](), pinned)
				} else {
					f.mark(reflect.TypeFor[report.Connection](), pinned)
				}
			}
		}
		for _, c := range x.TCP {
			for _, f := range c.Facts {
				f.mark(reflect.TypeFor[report.TCP](), pinned)
			}
		}
	}
}

// mark marks the fields on the way to the figure.
func (f *fact) mark(of reflect.Type, pinned map[string]bool) {
	if f.Contains == "" && f.Between == nil && slices.Contains([]any{nil, 0.0, false, "", "none"}, f.Want) {
		return
	}
	for name := range strings.SplitSeq(strings.TrimPrefix(f.Field, "#"), ".") {
		of = under(of)
		for _, x := range reflect.VisibleFields(of) {
			if report.JSONName(x) == name {
				in := of
				for _, i := range x.Index[:len(x.Index)-1] {
					in = in.Field(i).Type
				}
				pinned[in.Name()+"."+x.Name], of = true, x.Type
				break
			}
		}
	}
}

// testSource has the top-level declarations of the tests of a package, by name.
type testSource map[string]ast.Node

func readTests(t *testing.T, dir string) testSource {
	names, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	assert.NilError(t, err)
	out := testSource{}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		assert.NilError(t, err)
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				out[d.Name.Name] = d
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if v, ok := spec.(*ast.ValueSpec); ok {
						for _, n := range v.Names {
							out[n.Name] = v
						}
					}
				}
			}
		}
	}
	return out
}

// expects calls f for each name of a field that a test, and what it uses of its package's tests, reads or expects:
// of Go, or in a path of names in JSON that is the key of a number. What is set, and what is compared with a
// default, does not count.
func (s testSource) expects(test string, seen map[string]bool, f func(name string)) {
	if seen[test] || s[test] == nil {
		return
	}
	seen[test] = true
	skip := map[ast.Node]bool{}
	ast.Inspect(s[test], func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Ident:
			s.expects(x.Name, seen, f)
		case *ast.AssignStmt:
			for _, to := range x.Lhs {
				skip[bare(to)] = true
			}
		case *ast.BinaryExpr:
			skip[bare(x.X)], skip[bare(x.Y)] = isDefault(x.Y), isDefault(x.X)
		case *ast.CallExpr:
			skip[x.Fun] = true
		case *ast.SelectorExpr:
			if !skip[x] {
				f(x.Sel.Name)
			}
		case *ast.KeyValueExpr:
			if !isDefault(x.Value) {
				keys(x.Key, f)
			}
		}
		return true
	})
}

// keys calls f for the names in the key of a literal: a field, or a path in JSON.
func keys(key ast.Expr, f func(name string)) {
	ast.Inspect(key, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Ident:
			f(x.Name)
		case *ast.BasicLit:
			if path, err := strconv.Unquote(x.Value); err == nil {
				for part := range strings.SplitSeq(path, ".") {
					f(part)
				}
			}
		}
		return true
	})
}

// bare returns what is behind a pointer, in brackets or in a list.
func bare(x ast.Expr) ast.Expr {
	for {
		switch y := x.(type) {
		case *ast.StarExpr:
			x = y.X
		case *ast.ParenExpr:
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		default:
			return x
		}
	}
}

func isDefault(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.BasicLit:
		return x.Value == "0" || x.Value == `""`
	case *ast.Ident:
		return x.Name == "nil" || x.Name == "false"
	}
	return false
}
