package sentences

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"time"

	"mpanalyze/internal/diagnose"
	"mpanalyze/internal/report"
	"mpanalyze/internal/textwrap"
)

// functions are those of the templates: how numbers look for people, and what the facts of a verdict hold.
// Times are in ms.
var functions = template.FuncMap{
	"f0":   func(v float64) string { return strconv.FormatFloat(v, 'f', 0, 64) },
	"f1":   func(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) },
	"f2":   func(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) },
	"down": func(v float64) string { return strconv.FormatFloat(math.Floor(v), 'f', 0, 64) }, // of a lower bound
	"mbps": func(v float64) string { return scaled(v, "Mbit/s", "Gbit/s") },

	"percent": func(ratio float64) float64 { return 100 * ratio },
	"bytes":   func(n float64) string { return scaled(n, "B", "kB", "MB", "GB") },
	"chance":  chanceText,
	"count":   func(n float64, noun string) string { return textwrap.Count(int64(n), noun) },
	"dur":     func(ms float64) string { return durationText(time.Duration(math.Round(ms * 1e6))) },

	"limit": func(percent float64) string { return strconv.FormatFloat(percent, 'g', -1, 64) + " %" },
	"bound": func(name string) float64 { return diagnose.Limits[name] },
	"span":  span,

	"has":  func(f facts, name string) bool { _, ok := f[name]; return ok },
	"list": facts.list,
	"host": func(f facts, side string) any { return f["host_"+side] },
	"settings": func(f facts, code string) string {
		return f[settingsOf].(func(report.VerdictCode) string)(report.VerdictCode(code))
	},
}

// span writes a limit given in nanoseconds.
func span(ns float64) string {
	if ns >= 1e9 {
		return strconv.FormatFloat(ns/1e9, 'g', -1, 64) + " s"
	}
	return strconv.FormatFloat(ns/1e6, 'g', -1, 64) + " ms"
}

// durationText writes a time for people.
func durationText(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d >= time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	case d >= 100*time.Millisecond:
		return fmt.Sprintf("%.0f ms", d.Seconds()*1e3)
	case d >= 100*time.Microsecond:
		return fmt.Sprintf("%.1f ms", d.Seconds()*1e3)
	default:
		return fmt.Sprintf("%.1f µs", d.Seconds()*1e6)
	}
}

// scaled writes a number of the first unit with three digits, in the unit that suits it; each is a thousand
// of the one before.
func scaled(v float64, units ...string) string {
	for len(units) > 1 && v >= 999.5 {
		v, units = v/1000, units[1:]
	}
	return fmt.Sprintf("%.3g %s", v, units[0])
}

// chanceText writes a small probability for people.
func chanceText(p float64) string {
	if p < 1e-6 {
		return "< 1e-6"
	}
	return fmt.Sprintf("= %.1g", p)
}

// common has the texts that several verdicts have in common as templates.
var common = sync.OnceValue(func() *template.Template {
	all := template.New("").Funcs(functions)
	for name, text := range diagnose.Common() {
		template.Must(all.New(name).Parse(text)) // a test reads all of them
	}
	return all
})

// made holds the templates of the verdicts that were used, with the common ones. It is bounded by the verdicts.
var made sync.Map // of *diagnose.Kind to *template.Template

// templatesOf returns the texts of a verdict as templates: those of its file, and those that several have in
// common.
func templatesOf(k *diagnose.Kind) *template.Template {
	if all, ok := made.Load(k); ok {
		return all.(*template.Template)
	}
	all := template.Must(common().Clone())
	for section, text := range k.Parts {
		template.Must(all.New(section).Parse(text))
	}
	made.Store(k, all)
	return all
}

// filled returns a text of a verdict with data in it; empty where there is no such text. Facts that a
// template cannot take give what the code means: tests hold that no rule has such facts.
func filled(k *diagnose.Kind, section string, data any) string {
	t := templatesOf(k).Lookup(section)
	if t == nil {
		return ""
	}
	var out strings.Builder
	if err := t.Execute(&out, data); err != nil {
		return k.Parts["meaning"]
	}
	return out.String()
}

// plain returns a text that needs no facts of a verdict: one about its code, with the limits in it.
func plain(k *diagnose.Kind, section string) string { return filled(k, section, diagnose.Limits) }
