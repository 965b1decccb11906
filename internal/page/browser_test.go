package page_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
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
		{"4 scenarios fit", manyScenarios(t, 4), campaignFits(4)},
		{"12 scenarios fit", manyScenarios(t, 12), campaignFits(12)},
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
	n := b.sheets()
	assert.Check(t, n >= 3 && n <= 12, "%d printed sheets, want no more than 12", n)
	b.click(`#table-connections a[href="#c160"]`)
	b.eval(`new Promise(r => setTimeout(r, 50))`)
	b.check("a link unfolds", open, "c160,c197,c198,c199")
}

// manyLines: the legend of 64 lines is no higher than half the chart, and scrolls.
func manyLines(_ *testing.T, b *browser) {
	b.check("a short legend", `(() => { const l = document.querySelector("figure .legend"), c = l.parentElement.querySelector("canvas"); return String(l.childElementCount === 64 && l.clientHeight <= c.clientHeight / 2 && l.scrollHeight > l.clientHeight) })()`, "true")
}

// sheets prints the page and returns on how many sheets.
func (b *browser) sheets() int {
	b.t.Helper()
	var got struct{ Data []byte }
	decode(b.t, b.call("Page.printToPDF", nil), &got)
	return len(regexp.MustCompile(`/Type\s*/Page\b[^s]`).FindAll(got.Data, -1))
}

// narrow gives the window a width.
func (b *browser) narrow(width int) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": false})
	b.settle()
	b.settle()
}
