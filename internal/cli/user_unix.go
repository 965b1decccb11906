//go:build unix

package cli

import (
	"errors"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// The groups come first: only root may change them.
func init() {
	userNamed = func(name string) (become func() error, err error) {
		u, err := user.Lookup(name)
		if err = errors.Join(refuse(os.Geteuid() != 0, "--user: only root can become another user"), err); err != nil {
			return nil, err
		}
		ids, err := u.GroupIds()
		var groups []int
		for _, id := range append(ids, u.Gid, u.Uid) {
			n, bad := strconv.Atoi(id) // without a number it would be 0, which is root
			groups, err = append(groups, n), errors.Join(err, bad)
		}
		n := len(groups)
		return func() error {
			return errors.Join(syscall.Setgroups(groups[:n-1]), syscall.Setgid(groups[n-2]), syscall.Setuid(groups[n-1]))
		}, err
	}
}
