package page_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/testrun"
)

// TestBrowser shows pages in a browser. Its console complains of none.
func TestBrowser(t *testing.T) {
	b := browse(t)
	for _, c := range []struct {
		name, page string
		do         func(*testing.T, *browser)
	}{
		{"tables are sorted", render(t), sorting},
		{"charts are zoomed", render(t), zooming},
		{"light, dark and printed", render(t), schemes},
		{"200 connections", manyConnections(t), manyShown},
		{"64 subflows", manySubflows(t), manyLines},
		{"where the time went", accounted(t), timeShown},
		{"two scenarios", comparison(t), campaignSorted},
		{"4 scenarios fit", manyScenarios(t, 4, ""), campaignFits(4)},
		{"12 scenarios fit", manyScenarios(t, 12, ""), campaignFits(12)},
		{"events on sheets", manyEvents(t), sheetsHold("Time, s", `\bsubflow \d+ joined`)},
		{"12 scenarios on sheets", manyScenarios(t, 12, ""), sheetsHold("95 % from", `minrtt/scenario\d+ +5 +[0-9.]+ +[0-9.]+ +[0-9.]+ +0.0123`)},
		{"a telephone", longNames(t), phoneFits},
		{"scenarios of long names on a telephone", manyScenarios(t, 2, strings.Repeat("no_place_to_break_", 5)), phoneFits},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "page.html")
			assert.NilError(t, os.WriteFile(file, []byte(c.page), 0o600))
			b.t, b.errors = t, nil
			b.open(file)
			c.do(t, b)
			assert.Check(t, len(b.errors) == 0, "the console says %q", b.errors)
		})
	}
}

// check compares what the page says with what it should.
func (b *browser) check(what, expression, want string) {
	b.t.Helper()
	assert.Check(b.t, is.Equal(b.eval(expression), want), "%s", what)
}

func sorting(t *testing.T, b *browser) {
	title := b.eval(`document.title`)
	assert.Check(t, strings.HasPrefix(title, "Report on </script>"), "title %q: the hostile text ran, or is gone", title)

	ids := `[...document.querySelectorAll("#table-connections tbody tr")].map(r => r.cells[0].textContent).join()`
	duration := "#table-connections th:nth-child(3) button"
	b.check("connections in the order of the report", ids, "0,1")
	b.click(duration)
	b.check("sorted by duration", ids, "1,0")
	b.check("what a screen reader hears", `document.querySelector("#table-connections th:nth-child(3)").getAttribute("aria-sort")`, "ascending")
	b.click(duration)
	b.check("turned round", ids, "0,1")
	b.check("what a screen reader hears", `document.querySelector("#table-connections th:nth-child(3)").getAttribute("aria-sort")`, "descending")
}

// zooming: the data lasts from 0 to 1.02 s, as the last DATA_ACK comes at
// 990 + 30 ms.
func zooming(t *testing.T, b *browser) {
	width := `(() => { const d = document.querySelector("#c1 .readout").dataset; return (d.to - d.from).toFixed(3); })()`
	b.check("all is shown", width, "1.020")
	b.click(`#c1 button[data-act="in"]`)
	b.check("zoomed in", width, "0.510")
	b.click(`#c1 button[data-act="all"]`)
	b.check("all again", width, "1.020")
	b.eval(`document.querySelector("#c1 canvas").focus()`)
	b.press("+")
	b.press("+")
	b.check("two keys", width, "0.255")
	b.press("0")
	b.check("the key for all", width, "1.020")

	// The charts are linked: a drag on the second changes the first.
	picture := `document.querySelector("#c1 canvas").toDataURL()`
	before := b.eval(picture)
	x, y := b.center(`#c1 [data-chart="1"] canvas`)
	b.mouse("mousePressed", x-100, y)
	b.mouse("mouseMoved", x, y)
	b.mouse("mouseMoved", x+100, y)
	b.mouse("mouseReleased", x+100, y)
	b.settle()
	plotted := `document.querySelector("#c1 canvas").clientWidth - 74`
	b.check("the range of the drag, 200 px", `Math.abs(`+width+` - 1.02 * 200 / (`+plotted+`)) < 0.01`, "true")
	assert.Check(t, b.eval(picture) != before, "the first chart did not follow")
	b.click(`#c1 .verdicts button[data-t]`)
	b.check("a proof's packet is in the middle", `(() => { const d = document.querySelector("#c1 .readout").dataset; return ((+d.from + +d.to) / 2).toFixed(2); })()`, "0.50")
}

func schemes(t *testing.T, b *browser) {
	blank := `(() => { const c = document.querySelector("#c1 canvas"), d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
		const seen = new Set(); for (let i = 0; i < d.length; i += 4) seen.add(d[i] << 16 | d[i+1] << 8 | d[i+2]); return seen.has(0x0072b2); })()`
	b.click(`#c1 button[data-act="all"]`)
	b.check("the path has its colour", blank, "true")
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": "dark"}}})
	b.settle()
	b.check("dark", `getComputedStyle(document.body).backgroundColor`, "rgb(21, 23, 27)")
	b.call("Emulation.setEmulatedMedia", map[string]any{"media": "print", "features": []map[string]string{{"name": "prefers-color-scheme", "value": "dark"}}})
	b.settle()
	b.check("on paper the path has its colour again", blank, "true")
	b.check("paper is white", `getComputedStyle(document.body).backgroundColor`, "rgb(255, 255, 255)")
	b.check("on paper no table is cut off", `String([...document.querySelectorAll(".wide")].every(e => e.scrollWidth <= e.clientWidth))`, "true")
	b.check("on paper there are no tools", `getComputedStyle(document.querySelector(".tools")).display`, "none")

	// A chart out of sight is not drawn on a screen, but on paper.
	b.call("Emulation.setEmulatedMedia", map[string]any{"media": ""})
	b.eval(`document.querySelector("#c1").style.marginTop = "9000px"; scrollTo(0, 0)`)
	b.settle()
	b.eval(`document.querySelector("#c1 canvas").width = 500`)
	b.press("+")
	b.check("out of sight the chart is blank", blank, "false")
	b.call("Emulation.setEmulatedMedia", map[string]any{"media": "print"})
	b.settle()
	b.check("on paper all charts are drawn", blank, "true")
}

// manyShown: a page on 200 connections is no longer than ten screens and is printed on
// few sheets: the table, and the sections that are unfolded. A link unfolds a section.
func manyShown(t *testing.T, b *browser) {
	b.check("at most ten screens", `String(document.documentElement.scrollHeight < 10000)`, "true")
	open := `[...document.querySelectorAll("details.whole[open]")].map(e => e.parentElement.id).join()`
	b.check("the three with the most data are unfolded", open, "c197,c198,c199")
	sheets := b.sheets()
	assert.Check(t, len(sheets) >= 3 && len(sheets) <= 12, "%d printed sheets, want no more than 12", len(sheets))
	b.whole(sheets, "Duration, s", `\s\d+ +1970-01-01`)
	b.click(`#table-connections a[href="#c160"]`)
	b.eval(`new Promise(r => setTimeout(r, 50))`)
	b.check("a link unfolds", open, "c160,c197,c198,c199")
}

// manyLines: the legend of 64 lines is no higher than half the chart, and scrolls.
func manyLines(_ *testing.T, b *browser) {
	b.check("a short legend", `(() => { const l = document.querySelector("figure .legend"), c = l.parentElement.querySelector("canvas"); return String(l.childElementCount === 64 && l.clientHeight <= c.clientHeight / 2 && l.scrollHeight > l.clientHeight) })()`, "true")
}

// sheets prints the page on A4 and returns the text of each sheet.
func (b *browser) sheets() []string {
	b.t.Helper()
	var got struct{ Data []byte }
	decode(b.t, b.call("Page.printToPDF", map[string]any{"paperWidth": 8.27, "paperHeight": 11.69}), &got)
	if _, err := exec.LookPath("pdftotext"); err != nil {
		b.t.Skip("no pdftotext: install the package poppler-utils to run this test")
	}
	cmd := testrun.Command(b.t, "pdftotext", "-layout", "-", "-")
	cmd.Stdin = bytes.NewReader(got.Data)
	text, err := cmd.Output()
	assert.NilError(b.t, err)
	return strings.Split(strings.TrimSuffix(string(text), "\f"), "\f")
}

// whole checks that no heading stands alone at the foot of a sheet, and that each sheet with rows of a
// table has a word of its head, too.
func (b *browser) whole(sheets []string, head, row string) {
	b.t.Helper()
	var headings []string
	decode(b.t, json.RawMessage(b.eval(`JSON.stringify([...document.querySelectorAll("h1, h2, h3, [open] > summary, caption, .charts p, figcaption, table:has(td) > thead")].map(e => e.textContent.replace(/\s/g, "")).filter(Boolean))`)), &headings)
	with := 0
	for i, sheet := range sheets {
		packed := strings.Join(strings.Fields(sheet), "")
		for _, h := range headings {
			alone := strings.HasSuffix(packed, h) && !strings.HasPrefix(h, "Dot:") // which stands below its chart
			assert.Check(b.t, !alone, "sheet %d ends with the heading %q", i+1, h)
		}
		if regexp.MustCompile(row).MatchString(sheet) {
			with++
			assert.Check(b.t, strings.Contains(sheet, head), "sheet %d has rows without their head %q:\n%s", i+1, head, sheet)
		}
	}
	assert.Check(b.t, with > 1, "%d sheets have rows; want a table over more than one", with)
}

// sheetsHold returns the check of [browser.whole] for a page.
func sheetsHold(head, row string) func(*testing.T, *browser) {
	return func(_ *testing.T, b *browser) { b.whole(b.sheets(), head, row) }
}

// phoneFits: nothing is wider than a telephone, and on its screen the page only scrolls upwards.
func phoneFits(_ *testing.T, b *browser) {
	b.eval(`for (const d of document.querySelectorAll("details")) d.open = true`)
	b.narrow(375)
	b.check("wider than the window", `document.documentElement.scrollWidth > document.documentElement.clientWidth ? document.documentElement.scrollWidth + " px" : ""`, "")
	b.check("what scrolls sideways", `[...document.querySelectorAll(".wide")].filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.getAttribute("aria-label")).join()`, "")
	b.check("names cut off in drawings", `[...document.querySelectorAll("svg text[x='0']")].filter(e => e.getBoundingClientRect().right > e.ownerSVGElement.getBoundingClientRect().right + 1).map(e => e.textContent).join()`, "")
}

// narrow gives the window a width.
func (b *browser) narrow(width int) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": false})
	b.settle()
	b.settle()
}
