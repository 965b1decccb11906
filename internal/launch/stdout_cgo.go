//go:build cgo && unix

package launch

/*
#include <fcntl.h>

static int closed;

// Before it runs anything else, Go's runtime opens /dev/null in place of a closed standard output,
// so that only a constructor of C can see that it was closed.
__attribute__((constructor)) static void look(void) { closed = fcntl(1, F_GETFD) == -1; }

static int output_closed(void) { return closed; }
*/
import "C"

import (
	"os"
	"syscall"
)

// init makes writes to a closed standard output fail, as in programs of C, and not vanish in /dev/null.
func init() {
	if C.output_closed() == 0 {
		return
	}
	if fd, err := syscall.Open(os.DevNull, syscall.O_RDONLY|syscall.O_CLOEXEC, 0); err == nil {
		os.Stdout = os.NewFile(uintptr(fd), os.Stdout.Name())
	}
}
