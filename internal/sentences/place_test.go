package sentences

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
)

// TestPlace: commands name the address, the device and the endpoint that packets and records of a host show.
func TestPlace(t *testing.T) {
	const all = "ADDRESS dev INTERFACE, endpoint change id N, endpoint delete id N, table N"
	two := report.List[report.RecordInterface]{{Dev: "lo", Addresses: report.List[string]{"10.9.9.9"}}, {Dev: "p1", Addresses: report.List[string]{"10.0.1.1", "fd00::1"}}, {Dev: "p2", Addresses: report.List[string]{"10.0.2.1", "fe80::1"}}}
	records := report.HostRecords{Host: new(report.SideA), Kernel: new("6.12.48"), Interfaces: two, Endpoints: &report.List[report.RecordEndpoint]{{Address: "10.0.2.1", ID: 7}}}
	joined := report.Subflow{ID: 1, Initiator: new(report.SideA), A: report.Endpoint{Addr: "10.0.2.1"}, B: report.Endpoint{Addr: "10.0.9.1"}, AddressIDA: new(2)}
	for name, x := range map[string]struct {
		hosts []report.HostRecords
		v     report.Verdict
		want  string
	}{
		"nothing is known":                  {nil, report.Verdict{}, all},
		"packets show the opener":           {nil, report.Verdict{Subflow: new(1)}, "10.0.2.1 dev INTERFACE, endpoint change id 2, endpoint delete id 2, table N"},
		"the cause lies at the other":       {nil, report.Verdict{Subflow: new(1), Cause: &report.Cause{Host: new(report.SideB)}}, "10.0.9.1 dev INTERFACE, endpoint change id N, endpoint delete id N, table N"},
		"records show more":                 {[]report.HostRecords{records}, report.Verdict{Subflow: new(1)}, "10.0.2.1 dev p2, endpoint change id 7, endpoint delete id 7, table N"},
		"records of the other":              {[]report.HostRecords{{Host: new(report.SideB), Interfaces: two}}, report.Verdict{Subflow: new(1)}, "10.0.2.1 dev INTERFACE, endpoint change id 2, endpoint delete id 2, table N"},
		"one address has no subflow":        {[]report.HostRecords{records}, report.Verdict{Cause: &report.Cause{Host: new(report.SideA)}}, "10.0.2.1 dev p2, endpoint change id 7, endpoint delete id 7, table N"},
		"no host is named":                  {[]report.HostRecords{records}, report.Verdict{}, all},
		"there is a choice, so that no one": {[]report.HostRecords{{Host: new(report.SideA), Interfaces: append(two, report.RecordInterface{Dev: "p3", Addresses: report.List[string]{"10.0.3.1"}})}}, report.Verdict{Cause: &report.Cause{Host: new(report.SideA)}}, all},
	} {
		c := report.Connection{Subflows: report.List[report.Subflow]{{Initiator: new(report.SideA), A: report.Endpoint{Addr: "10.0.1.1"}, B: report.Endpoint{Addr: "10.0.9.1"}}}}
		if x.v.Subflow != nil {
			c.Subflows = append(c.Subflows, joined)
		}
		w := Words{Hosts: x.hosts}
		p := w.placeOf(&x.v, &c)
		assert.Check(t, p.in(all) == x.want, "%s: %s, want %s", name, p.in(all), x.want)
	}
	w := Words{Hosts: []report.HostRecords{records}}
	x := said{place: w.placeOf(&report.Verdict{Cause: &report.Cause{Host: new(report.SideA)}}, &report.Connection{})}
	assert.Check(t, w.kernel(&x) == "6.12", "kernel %q of the records", w.kernel(&x))
	w.Kernel = "6.6"
	assert.Check(t, w.kernel(&x) == "6.6", "kernel %q that the user named", w.kernel(&x))
}
