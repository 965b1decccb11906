package page_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/testrun"
)

// browser is a Chromium that is driven through the pipe of its DevTools
// protocol: JSON messages that end in a zero byte.
type browser struct {
	t       *testing.T
	out     *os.File
	in      *bufio.Reader
	id      int
	session string
	errors  []string // what the page's console said of mistakes
	loaded  bool
}

// browse starts a browser; where there is none the test is skipped.
func browse(t *testing.T) *browser {
	t.Helper()
	var program string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skip("no Chromium: install the package chromium to run this test")
	}
	theirIn, out, err := os.Pipe()
	assert.NilError(t, err)
	in, theirOut, err := os.Pipe()
	assert.NilError(t, err)
	profile, err := os.MkdirTemp("", "mpanalyze-browser-")
	assert.NilError(t, err)
	cmd := testrun.Command(t, program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--no-first-run", "--remote-debugging-pipe", "--user-data-dir="+profile, "--window-size=1200,1000")
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	assert.NilError(t, cmd.Start())
	theirIn.Close()
	theirOut.Close()
	b := &browser{t: t, out: out, in: bufio.NewReaderSize(in, 1<<20)}
	t.Cleanup(func() {
		_, _ = out.WriteString(`{"id":0,"method":"Browser.close"}` + "\x00") // a browser that has crashed is gone already
		_ = cmd.Wait()
		out.Close()
		in.Close()
		for range 20 { // its processes may write for a moment after the first of them has ended
			if os.RemoveAll(profile) == nil {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
	})
	return b
}

// call sends a command and returns its result.
func (b *browser) call(method string, params map[string]any) json.RawMessage {
	b.t.Helper()
	b.id++
	command := map[string]any{"id": b.id, "method": method, "params": params}
	if b.session != "" {
		command["sessionId"] = b.session
	}
	text, err := json.Marshal(command)
	assert.NilError(b.t, err)
	_, err = b.out.Write(append(text, 0))
	assert.NilError(b.t, err, "%s", method)
	for {
		got := b.next()
		switch {
		case got.ID == b.id && got.Error != nil:
			b.t.Fatalf("%s: %s", method, got.Error.Message)
		case got.ID == b.id:
			return got.Result
		}
	}
}

// message is an answer or an event.
type message struct {
	ID     int
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct{ Message string }
}

// next reads a message and notes what the console complains of.
func (b *browser) next() (got message) {
	b.t.Helper()
	text, err := b.in.ReadBytes(0)
	assert.NilError(b.t, err, "the browser ended")
	decode(b.t, text[:len(text)-1], &got)
	switch got.Method {
	case "Runtime.exceptionThrown":
		b.errors = append(b.errors, string(got.Params))
	case "Log.entryAdded":
		var log struct{ Entry struct{ Level, Text string } }
		if decode(b.t, got.Params, &log); log.Entry.Level == "error" {
			b.errors = append(b.errors, log.Entry.Text)
		}
	case "Page.loadEventFired":
		b.loaded = true
	}
	return got
}

// open loads a file and waits until its script has run.
func (b *browser) open(path string) {
	b.t.Helper()
	var target struct{ TargetID, SessionID string }
	decode(b.t, b.call("Target.createTarget", map[string]any{"url": "about:blank"}), &target)
	decode(b.t, b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}), &target)
	b.session = target.SessionID
	b.call("Runtime.enable", nil)
	b.call("Log.enable", nil)
	b.call("Page.enable", nil)
	b.narrow(1200)
	b.loaded = false // about:blank was another page
	b.call("Page.navigate", map[string]any{"url": "file://" + path})
	for !b.loaded {
		b.next()
	}
	assert.Assert(b.t, b.eval(`document.documentElement.dataset.ready`) == "yes", "the page's script did not finish; the console says %q", b.errors)
}

// eval returns what an expression gives, as text.
func (b *browser) eval(expression string) string {
	b.t.Helper()
	var got struct {
		Result           struct{ Value any }
		ExceptionDetails json.RawMessage
	}
	decode(b.t, b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}), &got)
	assert.Assert(b.t, got.ExceptionDetails == nil, "%s: %s", expression, got.ExceptionDetails)
	return fmt.Sprint(got.Result.Value)
}

// settle waits until what was asked for is drawn.
func (b *browser) settle() {
	b.t.Helper()
	b.eval(`new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(1))))`)
}

// center scrolls an element into view and returns the middle of it.
func (b *browser) center(selector string) (x, y float64) {
	b.t.Helper()
	var at [2]float64
	decode(b.t, json.RawMessage(b.eval(fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({block: "center"});
		const r = e.getBoundingClientRect(); return JSON.stringify([r.left + r.width / 2, r.top + r.height / 2]); })()`, selector))), &at)
	return at[0], at[1]
}

// mouse presses, moves or releases the left button.
func (b *browser) mouse(kind string, x, y float64) {
	b.t.Helper()
	buttons := 1
	if kind == "mouseReleased" {
		buttons = 0
	}
	b.call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1})
}

func (b *browser) click(selector string) {
	b.t.Helper()
	x, y := b.center(selector)
	b.mouse("mousePressed", x, y)
	b.mouse("mouseReleased", x, y)
	b.settle()
}

func (b *browser) press(key string) {
	b.t.Helper()
	b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": key, "text": key})
	b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key})
	b.settle()
}

func decode(t *testing.T, text json.RawMessage, into any) {
	t.Helper()
	assert.NilError(t, json.Unmarshal(text, into), "%s", text)
}
