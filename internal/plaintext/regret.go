package plaintext

import (
	"fmt"

	"mpanalyze/internal/report"
)

// regret writes what the choices of the scheduler cost, where somebody asked for it.
func (p *printer) regret(name string, r *report.SchedulerRegret) {
	if text := Regret(r); text != "" {
		p.wrapped("", "  ", name+" "+text)
	}
}

// Regret says in a line what the choices of the scheduler cost; empty where nobody asked.
func Regret(r *report.SchedulerRegret) string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("scheduler: %s ms lost on average against the best paths (p95 %s), %s %% of %s on a worse path",
		digits(r.Lost.Avg), digits(r.Lost.P95), digits(r.WorsePercent), plural(r.Chunks, "chunk"))
}
