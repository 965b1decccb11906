package report

import (
	"encoding/json"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// TestReasons: the reason of a metric replaces those of its parts, and of nothing whose name only begins alike.
func TestReasons(t *testing.T) {
	base := Reasons{{"a", "1"}, {"m.p", "2"}, {"m[].q", "3"}, {"m_n", "4"}, {"mm", "5"}}
	for name, c := range map[string]struct {
		do   func(r *Reasons)
		want Reasons
	}{
		"another reason":      {func(r *Reasons) { r.Set("a", "9") }, Reasons{{"a", "9"}, {"m.p", "2"}, {"m[].q", "3"}, {"m_n", "4"}, {"mm", "5"}}},
		"of a part":           {func(r *Reasons) { r.Set("m.o", "9") }, Reasons{{"a", "1"}, {"m.o", "9"}, {"m.p", "2"}, {"m[].q", "3"}, {"m_n", "4"}, {"mm", "5"}}},
		"of the whole":        {func(r *Reasons) { r.Set("m", "9") }, Reasons{{"a", "1"}, {"m", "9"}, {"m_n", "4"}, {"mm", "5"}}},
		"null":                {func(r *Reasons) { r.Settle("m", true, "9") }, Reasons{{"a", "1"}, {"m", "9"}, {"m_n", "4"}, {"mm", "5"}}},
		"a value":             {func(r *Reasons) { r.Settle("m", false, "9") }, Reasons{{"a", "1"}, {"m_n", "4"}, {"mm", "5"}}},
		"a value as before":   {func(r *Reasons) { r.Settle("z", false, "9") }, base},
		"follows parts":       {func(r *Reasons) { r.Follow("m", Reasons{{"a", "6"}, {"m.p", "7"}, {"m[].r", "8"}, {"mm", "9"}}) }, Reasons{{"a", "1"}, {"m.p", "7"}, {"m[].r", "8"}, {"m_n", "4"}, {"mm", "5"}}},
		"follows the whole":   {func(r *Reasons) { r.Follow("m", Reasons{{"a", "6"}, {"m", "7"}}) }, Reasons{{"a", "1"}, {"m", "7"}, {"m_n", "4"}, {"mm", "5"}}},
		"follows what it has": {func(r *Reasons) { r.Follow("m", nil) }, Reasons{{"a", "1"}, {"m_n", "4"}, {"mm", "5"}}},
	} {
		r := append(Reasons(nil), base...)
		shared := r[:len(r):len(r)]
		c.do(&shared)
		assert.Check(t, is.DeepEqual(shared, c.want), "%s", name)
		assert.Check(t, is.DeepEqual(r, base), "%s: a list that shares the memory", name)
		for _, x := range shared {
			why, ok := shared.Of(x.Metric)
			assert.Check(t, ok && why == x.Why, "%s: %s because %q", name, x.Metric, why)
		}
		text, err := json.Marshal(shared)
		assert.NilError(t, err)
		var back Reasons
		assert.NilError(t, json.Unmarshal(text, &back))
		assert.Check(t, is.DeepEqual(back, shared), "%s: read again from %s", name, text)
	}
	why, ok := base.Of("m")
	assert.Check(t, !ok && why == "", "the whole has a reason of a part: %q", why)
	text, err := json.Marshal(base[:2])
	assert.Check(t, err)
	assert.Check(t, string(text) == `{"a":"1","m.p":"2"}`, "JSON %s", text)
}
