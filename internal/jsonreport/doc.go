// Package jsonreport writes a report as JSON, in bounded memory.
package jsonreport
