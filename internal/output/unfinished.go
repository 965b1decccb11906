package output

import (
	"os"
	"sync"
)

// unfinished holds the names of files that are not yet complete.
var unfinished sync.Map

func begun(name string) { unfinished.Store(name, nil) }
func ended(name string) { unfinished.Delete(name) }

// Discard removes all files that are not yet complete, for a program that must end at once.
func Discard() {
	unfinished.Range(func(name, _ any) bool {
		_ = os.RemoveAll(name.(string)) // an error cannot be reported any more
		return true
	})
}
