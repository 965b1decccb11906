package capture

import (
	"cmp"
	"container/heap"
	"errors"
	"io"
	"os"
	"slices"
	"sync/atomic"

	"mpanalyze/internal/storage"
)

// Options are the options of a source.
type Options struct {
	Stdin    io.Reader      // what the path "-" reads
	Files    *storage.Files // what else reads the captures; nil for nothing
	Comments bool           // whether [Raw.Comments] and [Source.Interface] are wanted
}

// Source yields the packets of one or several captures of one host in the order of their times.
// Packets of one file keep the order of the file, even if their times go back. There is one
// exception: packets of different interfaces in a pcapng file are sorted within a second and
// 16 MiB. If a clock was set back, all packets from before the step come before all packets from
// after it, in all files and interfaces.
//
// Files that can be opened again are open only from the time of their first packet on. So of a
// set of rotated files about one is open at a time. Each open file takes a buffer of 1 MiB, or
// 2 MiB after a packet above 64 KiB, and the window of its decompressor.
//
// Only one goroutine may use a Source, except for [Source.Progress].
type Source struct {
	options Options
	files   []*file
	waiting []*file          // files that are not yet open, by the time of their first packet
	open    mergeHeap[*file] // open files, each with a pending packet
	last    *file            // the file whose pending packet was delivered; the first of open
	single  *file            // the same as last if no other file is left, otherwise nil
	epochs  clockEpochs      // of the files
	num     uint64
	group   int // [Raw.Group] of the next packet
	ifaces  interfaces
	total   int64
	done    atomic.Int64
	closed  bool
}

// Open opens the captures at paths; "-" is standard input. It finds format and compression by the
// content. Its error has a [*NotCaptureError] for each file that is no capture, and the error of
// the operating system for each file that cannot be opened. A damaged file is no error: see
// [Source.Damage].
func Open(paths []string, options Options) (*Source, error) {
	s := &Source{options: options, ifaces: interfaces{wanted: options.Comments}}
	if err := s.add(paths); err != nil {
		return nil, err
	}
	var failures []error
	for i, f := range s.files {
		if err := s.probe(i, f); err != nil {
			failures = append(failures, err)
		}
	}
	if len(failures) > 0 {
		s.Close()
		return nil, errors.Join(failures...)
	}
	slices.SortFunc(s.waiting, (*file).compare)
	return s, nil
}

// add adds the files at paths and their sizes.
func (s *Source) add(paths []string) error {
	if len(paths) == 0 {
		return errors.New("no file is named")
	}
	var failures []error
	stdin, pipes := 0, 0
	for _, path := range paths {
		f := &file{close: func() {}}
		if err := f.stat(path); err != nil {
			failures = append(failures, err)
		}
		if path == "-" {
			stdin++
		}
		if !f.regular {
			pipes++
		}
		s.total += f.size
		s.files = append(s.files, f)
	}
	if pipes > 0 {
		s.total = 0
	}
	switch {
	case stdin > 1:
		failures = append(failures, errors.New("standard input is named twice"))
	case stdin == 1 && s.options.Stdin == nil:
		failures = append(failures, errors.New("there is no standard input"))
	}
	return errors.Join(failures...)
}

// probe opens f and reads its first packet. The time of that packet decides when f is needed. If
// f can be opened again, probe closes it until then.
func (s *Source) probe(index int, f *file) error {
	before := s.ifaces.n
	found, err := s.start(index, f)
	if err != nil || !found {
		return err
	}
	if f.regular && len(s.files) > 1 {
		f.suspend()
		s.ifaces.n = before
		s.waiting = append(s.waiting, f)
		return nil
	}
	s.epochs.next(&f.epoch, f.pending.Time, false)
	heap.Push(&s.open, f)
	return nil
}

// start opens f and reads its first packet. It reports whether there is one. Damage is stored in
// f and is no error.
func (s *Source) start(index int, f *file) (bool, error) {
	err := f.open(index, &s.options, &s.done, &s.ifaces)
	var damage *DamageError
	if errors.As(err, &damage) {
		f.spoil(err)
		f.finish()
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return f.next(), nil
}

// Next reads the next packet. raw.Data is valid until the next call. After the last
// packet of all files it returns [io.EOF], even if some files are damaged.
func (s *Source) Next(raw *Raw) error {
	f := s.single
	if f == nil {
		return s.merged(raw)
	}
	if err := f.packets.next(raw); err != nil {
		return s.endLone(err)
	}
	s.num++
	raw.Num, raw.File, raw.Group = s.num, f.pending.File, s.group
	f.info.addPacket(raw)
	return nil
}

// Interface returns the description of the interface of a packet. Without [Options.Comments] it
// has only the link type.
func (s *Source) Interface(raw *Raw) Interface {
	if raw.Iface < len(s.ifaces.about) {
		return s.ifaces.about[raw.Iface]
	}
	return Interface{Link: raw.Link}
}

// Interfaces returns how many interfaces have a description so far, with [Options.Comments].
func (s *Source) Interfaces() int { return len(s.ifaces.about) }

// interfaces numbers the interfaces of a source.
type interfaces struct {
	n      int
	wanted bool        // whether to keep their descriptions
	about  []Interface // of the first ones; bounded by maxInterfaces
}

// add adds an interface and returns its number.
func (x *interfaces) add(about Interface) int {
	x.n++
	if x.wanted && x.n <= maxInterfaces {
		x.about = append(x.about[:x.n-1], about)
	}
	return x.n - 1
}

// merged does what Next does while more than one file is left.
func (s *Source) merged(raw *Raw) error {
	if s.closed {
		return os.ErrClosed
	}
	if s.last != nil {
		if s.last.next() {
			before := s.epochs.n
			s.epochs.next(&s.last.epoch, s.last.pending.Time, false)
			heap.Fix(&s.open, 0)
			if s.epochs.n > before {
				s.enter()
			}
		} else {
			heap.Pop(&s.open)
		}
		s.last = nil
	}
	s.join()
	if len(s.open) == 0 {
		return io.EOF
	}
	f := s.open[0]
	s.last = f
	s.num++
	f.pending.Num, f.pending.Group = s.num, s.group
	f.info.addPacket(&f.pending)
	*raw = f.pending
	if len(s.open) == 1 && len(s.waiting) == 0 {
		s.single = f
	}
	return nil
}

// enter moves a file to a new epoch if its pending packet cannot belong to the epoch before.
func (s *Source) enter() {
	for _, f := range s.open {
		s.epochs.next(&f.epoch, f.pending.Time, false)
	}
	heap.Init(&s.open)
}

// endLone ends the last file and with it the source.
func (s *Source) endLone(err error) error {
	s.single.end(err)
	s.single, s.last, s.open = nil, nil, nil
	return io.EOF
}

// join opens the files whose first packet is next.
func (s *Source) join() {
	if len(s.open) == 0 && s.num > 0 {
		s.group++
	}
	for len(s.waiting) > 0 && (len(s.open) == 0 || cmp.Compare(s.open[0].pending.Time, s.waiting[0].pending.Time) > 0) {
		f := s.waiting[0]
		s.waiting = s.waiting[1:]
		found, err := s.start(f.pending.File, f)
		if err != nil { // probe could read it, so this is damage
			f.spoil(err)
			f.finish()
		}
		if found {
			s.epochs.next(&f.epoch, f.pending.Time, false)
			heap.Push(&s.open, f)
		}
	}
}

// Damage returns where files of the source stopped being readable, in the order of the
// files. It is complete after Next has returned [io.EOF].
func (s *Source) Damage() []*DamageError {
	var all []*DamageError
	for _, f := range s.files {
		if f.damage != nil {
			all = append(all, f.damage)
		}
	}
	return all
}

// Files describes the files of the source in the order of Open, as far as they were
// read.
func (s *Source) Files() []FileInfo {
	all := make([]FileInfo, len(s.files))
	for i, f := range s.files {
		all[i] = f.info
		all[i].LinkTypes = slices.Clone(f.info.LinkTypes)
	}
	return all
}

// Progress returns how many bytes of the files, as on disk, were read, and their total,
// which is 0 if one file is a pipe. Any goroutine may call it.
func (s *Source) Progress() (done, total int64) { return s.done.Load(), s.total }

// Close closes all files. Nothing can be read afterwards.
func (s *Source) Close() error {
	for _, f := range s.files {
		f.shut()
	}
	s.closed, s.last, s.single, s.open, s.waiting = true, nil, nil, nil, nil
	return nil
}

// compare orders files by epoch and time of their pending packets, and by the order of
// Open.
func (f *file) compare(o *file) int {
	return cmp.Or(cmp.Compare(f.epoch.n, o.epoch.n), cmp.Compare(f.pending.Time, o.pending.Time), cmp.Compare(f.pending.File, o.pending.File))
}

// comparer is what a mergeHeap holds: compare is negative where it comes before o.
type comparer[T any] interface{ compare(o T) int }

// mergeHeap is a heap of files or interfaces by their first waiting packets: the first one is the next packet.
type mergeHeap[T comparer[T]] []T

// Len, Less, Swap, Push and Pop implement [heap.Interface].
func (q mergeHeap[T]) Len() int           { return len(q) }
func (q mergeHeap[T]) Less(i, j int) bool { return q[i].compare(q[j]) < 0 }
func (q mergeHeap[T]) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *mergeHeap[T]) Push(x any)        { *q = append(*q, x.(T)) }

func (q *mergeHeap[T]) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	clear((*q)[last:])
	*q = (*q)[:last]
	return x
}
