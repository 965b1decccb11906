package jsonreport

// AppendFloat is open to the tests of package jsonreport_test.
var AppendFloat = appendFloat
