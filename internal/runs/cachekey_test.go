package runs

import (
	"encoding/json"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/engine"
)

// TestKeyHoldsEveryOption: a change of any option changes the key, except options that do
// not change figures. A new field of engine.Options is part of the key.
func TestKeyHoldsEveryOption(t *testing.T) {
	const content = "hash of the captures"
	plain := keyOf("1", content, &engine.Options{}, 0)
	if plain == keyOf("1", content, &engine.Options{}, 1) || plain == keyOf("1", "another hash", &engine.Options{}, 0) || plain == keyOf("2", content, &engine.Options{}, 0) {
		t.Error("connection, content or version of the program is not part of the key")
	}
	options := reflect.TypeFor[engine.Options]()
	for name := range notInKey {
		_, ok := options.FieldByName(name)
		assert.Check(t, ok, "notInKey names %s, which is no option", name)
	}
	for i := range options.NumField() {
		name := options.Field(i).Name
		if notInKey[name] {
			continue
		}
		var o engine.Options
		if name == "End" { // there are two ends with two captures
			o.Receiver = []string{"x"}
		}
		change(t, reflect.ValueOf(&o).Elem().Field(i), name)
		key := keyOf("1", content, &o, 0)
		assert.Check(t, key != plain, "a change of %s does not change the key", name)
		again := keyOf("1", content, &o, 0)
		assert.Check(t, again == key, "%s: two keys of equal options differ", name)
	}
	a := engine.Options{Labels: []engine.Label{{Prefix: netip.MustParsePrefix("10.0.0.0/8"), Name: "wifi"}}}
	b := engine.Options{Labels: []engine.Label{{Prefix: netip.MustParsePrefix("10.0.0.0/9"), Name: "wifi"}}}
	assert.Check(t, keyOf("1", content, &a, 0) != keyOf("1", content, &b, 0), "labels of two networks have the same key")
}

// TestMadeByHoldsEveryOption: a change of any option that changes figures also changes
// made_by in the report.
func TestMadeByHoldsEveryOption(t *testing.T) {
	const free = "Swap FileOrder MaxState Detail" // which host is which, the order of other programs, bounds, how much is told
	said := func(o *engine.Options) string {
		text, err := json.Marshal(o.MadeBy())
		assert.NilError(t, err)
		return string(text)
	}
	plain := said(&engine.Options{})
	options := reflect.TypeFor[engine.Options]()
	for i := range options.NumField() {
		name := options.Field(i).Name
		if notInKey[name] || slices.Contains(strings.Fields(free), name) {
			continue
		}
		var o engine.Options
		if name == "End" { // there are two ends with two captures
			o.Receiver = []string{"x"}
		}
		change(t, reflect.ValueOf(&o).Elem().Field(i), name)
		assert.Check(t, said(&o) != plain, "a change of %s does not change made_by", name)
	}
}

// change sets a field, or the first field of a structure, to a value that is not zero.
func change(t *testing.T, v reflect.Value, name string) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(1)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		if v.Index(0).Kind() == reflect.String {
			v.Index(0).SetString("x")
		}
	case reflect.Struct:
		change(t, v.Field(0), name)
	default:
		t.Errorf("%s: the test cannot change a %v; a field that figures do not depend on belongs in notInKey", name, v.Kind())
	}
}
