// Package jsontext writes numbers and texts as encoding/json does, without reflection.
package jsontext
