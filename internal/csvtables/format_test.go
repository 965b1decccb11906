package csvtables

import "testing"

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"wifi": "wifi", "a,b": `"a,b"`, `a"b`: `"a""b"`, "-1": "-1",
		"=1+1": "'=1+1", `=HYPERLINK("x")`: `"'=HYPERLINK(""x"")"`, "@x,y": `"'@x,y"`, "\r=1": "\"'\r=1\"", "\t=1": "'\t=1",
	} {
		if got := string(appendText(nil, in)); got != want {
			t.Errorf("%q is the field %s, want %s", in, got, want)
		}
	}
}
