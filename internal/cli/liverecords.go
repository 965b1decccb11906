package cli

import (
	"errors"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/hosts"
	"mpanalyze/internal/live"
)

// followed are the records that live follows.
type followed struct {
	files []*hosts.Follower
	rows  live.KernelRows
}

// follow begins to follow the records that the user named.
func (o *liveOptions) follow() (*followed, error) {
	var named engine.Options
	if err := o.records.apply(&named); err != nil {
		return nil, err
	}
	w := &followed{}
	for _, s := range named.Evidence {
		f, err := hosts.Follow(s.Path)
		if err != nil {
			w.close()
			return nil, err
		}
		w.files = append(w.files, f)
	}
	return w, nil
}

func (w *followed) close() {
	for _, f := range w.files {
		_ = f.Close() // they were only read
	}
}

// beside returns a function that enters the rows up to the end of an interval into it, and shows
// it.
func (w *followed) beside(show func(*live.Interval) error) func(*live.Interval) error {
	if len(w.files) == 0 {
		return show
	}
	return func(v *live.Interval) error {
		var err error
		for _, f := range w.files {
			err = errors.Join(err, f.Until(v.End(), w.rows.Take))
		}
		w.rows.Add(v)
		return errors.Join(err, show(v))
	}
}
