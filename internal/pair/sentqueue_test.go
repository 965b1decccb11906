package pair

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/seq"
)

// TestCompact: the parts that are left are kept in their order, whether parts behind the
// first are done or not.
func TestCompact(t *testing.T) {
	for _, done := range []int{0, 3} {
		var q sentQueue
		for i := range seq.SSN(10) {
			q.add(&sentPart{ssnRange: ssnRange{Start: 10 * i, End: 10*i + 10}})
		}
		for i := range 4 {
			q.remove(i)
		}
		for i := range done {
			q.remove(6 + i)
		}
		q.compact()
		var got []seq.SSN
		for i := range q.list {
			got = append(got, q.list[i].Start)
		}
		want := append([]seq.SSN{40, 50}, []seq.SSN{60, 70, 80, 90}[done:]...)
		if diff := cmp.Diff(want, got); diff != "" || q.len() != len(want) {
			t.Errorf("%d done: %d left (-want +got)\n%s", done, q.len(), diff)
		}
	}
}
