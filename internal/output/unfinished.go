package output

import (
	"os"
	"sync"
)

// unfinished has the names of what is not yet whole.
var unfinished sync.Map

func begun(name string) { unfinished.Store(name, nil) }
func ended(name string) { unfinished.Delete(name) }

// Discard removes everything that is not yet whole, for a program that has to end at
// once.
func Discard() {
	unfinished.Range(func(name, _ any) bool {
		_ = os.RemoveAll(name.(string)) // there is nobody left to tell
		return true
	})
}
