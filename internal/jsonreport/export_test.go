package jsonreport

// AppendJSONFloat is open to the tests of package jsonreport_test.
var AppendJSONFloat = appendJSONFloat
