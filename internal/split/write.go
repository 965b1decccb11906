package split

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/extract"
	"mpanalyze/internal/output"
	"mpanalyze/internal/storage"
)

// MaxParts bounds the parts, as each has two open files.
const MaxParts = 256

// restName is the name of the capture of packets that belong to no connection.
const restName = "rest.pcapng"

// Write copies the packets of the captures at paths into parts in a directory, and writes the
// index. The captures must be the ones that were recorded. The caller fills in x how the
// capture was read; Write adds the rest of the index.
func (r *Recorder) Write(ctx context.Context, dir string, paths []string, parts int, x *Index) error {
	r.distribute(parts)
	if err := r.Err(); err != nil {
		return err
	}
	if err := Free(dir); err != nil {
		return err
	}
	d, err := output.OpenDir(dir)
	if err != nil {
		return err
	}
	if err := r.write(ctx, d, paths, parts, x); err != nil {
		d.Abandon()
		return err
	}
	return d.Commit()
}

// Free returns an error if a directory already holds a split, or if that cannot be found out.
func Free(dir string) error {
	name := storage.Join(dir, IndexName)
	switch _, err := storage.Stat(name); {
	case err == nil:
		return fmt.Errorf("%s holds a split already; name another directory, or remove it", dir)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	default:
		return capture.NotOpened(name, err)
	}
}

func (r *Recorder) write(ctx context.Context, d *output.Dir, paths []string, parts int, x *Index) error {
	x.Schema = schema
	names := make([]string, parts) // file names of the parts; empty for parts without connections
	all, err := r.parts(parts)
	if err != nil {
		return err
	}
	for i, p := range all {
		if p.Connections > 0 {
			names[i] = p.File
		}
	}
	written, err := r.packets(ctx, d, paths, names)
	if err != nil {
		return err
	}
	for i := range all {
		all[i].Packets = written[i]
	}
	if x.Rest.Packets = written[parts]; x.Rest.Packets > 0 {
		x.Rest.File = restName
	}
	if err := r.writeSteps(d, all); err != nil {
		return err
	}
	for _, p := range all {
		if p.Connections > 0 {
			x.Parts = append(x.Parts, p)
		}
	}
	return writeFile(d, IndexName, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", " ")
		return enc.Encode(x)
	})
}

// parts counts the connections of each part.
func (r *Recorder) parts(n int) ([]Part, error) {
	all := make([]Part, n)
	for i := range all {
		all[i].File = fmt.Sprintf("part-%03d.pcapng", i+1)
		all[i].Steps = fmt.Sprintf("part-%03d.steps", i+1)
	}
	for i := range r.conns {
		c := &r.conns[i]
		if !c.ended {
			return nil, fmt.Errorf("connection %d in the order of their beginnings did not end: a fault of this program", i)
		}
		p := &all[c.part]
		p.Connections++
		p.Digest += c.digest
		if c.id >= 0 {
			p.Multipath++
		}
	}
	return all, nil
}

// packets copies every packet into the file of its part. names holds the file names of the
// parts. It returns how many packets it wrote for each part, and last for the rest.
func (r *Recorder) packets(ctx context.Context, d *output.Dir, paths, names []string) (written []uint64, err error) {
	source, err := capture.Open(paths, capture.Options{Comments: true})
	if err != nil {
		return nil, err
	}
	defer source.Close()
	out := make([]*partFile, len(names)+1)
	defer func() {
		for _, f := range out {
			err = errors.Join(err, f.close())
		}
	}()
	written = make([]uint64, len(out))
	places, last := r.places.read(), len(names)
	var raw capture.Raw
	for {
		err := source.Next(&raw)
		if errors.Is(err, io.EOF) {
			return written, r.places.err
		}
		if err == nil && raw.Num%1024 == 0 {
			err = errors.Join(ctx.Err(), r.places.err)
		}
		if err != nil {
			return nil, err
		}
		to := last
		switch at := places.of(raw.Num); {
		case at >= firstOrder:
			to = int(r.conns[at-firstOrder].part)
		case at == fragment && names[0] != "":
			to = 0
		}
		if out[to] == nil {
			name := restName
			if to < last {
				name = names[to]
			}
			if out[to], err = newPartFile(d, name, source); err != nil {
				return nil, err
			}
		}
		written[to]++
		if err := out[to].w.Packet(&raw, raw.Comments, &raw.Num); err != nil {
			return nil, d.Failed(out[to].name, err)
		}
	}
}

// partFile is a capture that is written.
type partFile struct {
	name string
	d    *output.Dir
	file *os.File
	buf  *bufio.Writer
	w    *extract.Writer
}

func newPartFile(d *output.Dir, name string, source *capture.Source) (*partFile, error) {
	file, err := d.Create(name)
	if err != nil {
		return nil, err
	}
	f := &partFile{name: name, d: d, file: file, buf: bufio.NewWriterSize(file, 1<<16)}
	f.w = extract.NewWriter(f.buf, source, extract.Section{Application: capture.SplitBy, Comment: "some of the connections of a capture; packet ids are the numbers of its packets"})
	return f, nil
}

func (f *partFile) close() error {
	if f == nil {
		return nil
	}
	return f.d.Failed(f.name, errors.Join(f.w.Flush(), f.buf.Flush(), f.file.Close()))
}

// writeSteps writes a file of steps for each part.
func (r *Recorder) writeSteps(d *output.Dir, parts []Part) (err error) {
	out := make([]*stepFile, len(parts))
	defer func() {
		for _, f := range out {
			err = errors.Join(err, f.close())
		}
	}()
	for i := range parts {
		if parts[i].Connections == 0 {
			continue
		}
		if out[i], err = newStepFile(d, parts[i].Steps, r.numbersOf(uint16(i), &parts[i])); err != nil {
			return err
		}
	}
	in, err := r.steps.read()
	if err != nil {
		return err
	}
	for {
		s, ok, err := in.next()
		if err != nil || !ok {
			return errors.Join(err, r.places.err)
		}
		if s.Kind == conn.StepGiveUp {
			at := r.places.get(s.First)
			if at < firstOrder {
				return fmt.Errorf("packet %d waited for a connection and has none: a fault of this program", s.First)
			}
			s.Order = int(at - firstOrder)
		}
		f := out[r.conns[s.Order].part]
		if err := f.w.add(&s); err != nil {
			return d.Failed(f.name, err)
		}
	}
}

// numbersOf returns the beginning of a part's file of steps: the numbers of its
// connections.
func (r *Recorder) numbersOf(part uint16, p *Part) []byte {
	orders, ids := make([]int, 0, p.Connections), make([]int, 0, p.Multipath)
	for i := range r.conns {
		if c := &r.conns[i]; c.part == part {
			orders = append(orders, i)
			if c.id >= 0 {
				ids = append(ids, int(c.id))
			}
		}
	}
	slices.Sort(ids)
	return appendNumbers(appendNumbers([]byte(magic), orders), ids)
}

// stepFile is a file of steps that is written.
type stepFile struct {
	name string
	d    *output.Dir
	file *os.File
	buf  *bufio.Writer
	w    stepWriter
}

func newStepFile(d *output.Dir, name string, head []byte) (*stepFile, error) {
	file, err := d.Create(name)
	if err != nil {
		return nil, err
	}
	f := &stepFile{name: name, d: d, file: file, buf: bufio.NewWriter(file)}
	f.w.out = f.buf
	_, err = f.buf.Write(head)
	return f, d.Failed(name, err)
}

func (f *stepFile) close() error {
	if f == nil {
		return nil
	}
	return f.d.Failed(f.name, errors.Join(f.w.finish(), f.buf.Flush(), f.file.Close()))
}

// writeFile writes a file of the directory.
func writeFile(d *output.Dir, name string, write func(io.Writer) error) error {
	file, err := d.Create(name)
	if err != nil {
		return err
	}
	return d.Failed(name, errors.Join(write(file), file.Close()))
}
