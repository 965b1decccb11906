package export

// AppendJSONFloat is open to the tests of package export_test.
var AppendJSONFloat = appendJSONFloat
