package capture

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"

	"mpanalyze/internal/storage"
)

// FileInfo describes one file of a source, for the report.
type FileInfo struct {
	File        string // path as it was given, "-" for standard input
	Format      string // "pcap", "pcap-ns" (nanoseconds) or "pcapng"; empty if the file ended too early to know it
	Compression string // "", "gzip", "zstd", "xz" or "lz4"
	LinkTypes   []LinkType
	SnapLen     uint32 // largest snap length of its interfaces in bytes; 0 is unknown or unlimited
	Packets     uint64 // packets delivered
	WireBytes   uint64 // bytes of these packets on the wire
	Snapped     uint64 // number of these packets that the snap length cut
	First, Last int64  // earliest and latest packet in nanoseconds since the Unix epoch; 0 without packets
	Truncated   bool   // the file is cut off or damaged
	Longer      Oddity // packets whose record holds more bytes than it says were on the wire
	Uncountable Oddity // packets with a time beyond [EarliestTime] and [LatestTime]
}

// Oddity counts packets with something odd that can be used all the same.
type Oddity struct {
	Count uint64
	First Place
}

func (o *Oddity) add(raw *Raw) {
	if o.Count == 0 {
		o.First = Place{raw.Num, raw.FileNum, raw.Offset}
	}
	o.Count++
}

// Place is where a packet is.
type Place struct {
	Num     uint64 // its number within the source, from 1
	FileNum uint64 // its number within its file, from 1
	Offset  int64  // offset in bytes of its record in its uncompressed file
}

// maxLinkTypes bounds FileInfo.LinkTypes.
const maxLinkTypes = 64

// addInterface adds an interface of the file to the description.
func (i *FileInfo) addInterface(first bool, link LinkType, snapLen uint32) {
	if first {
		i.SnapLen = snapLen
	} else if i.SnapLen != 0 && (snapLen == 0 || snapLen > i.SnapLen) {
		i.SnapLen = snapLen
	}
	if len(i.LinkTypes) < maxLinkTypes && !slices.Contains(i.LinkTypes, link) {
		i.LinkTypes = append(i.LinkTypes, link)
	}
}

// addPacket counts a packet that is delivered.
func (i *FileInfo) addPacket(raw *Raw) {
	if i.Packets == 0 {
		i.First, i.Last = raw.Time, raw.Time
	}
	i.First, i.Last = min(i.First, raw.Time), max(i.Last, raw.Time)
	i.Packets++
	i.WireBytes += uint64(raw.WireLen)
	if raw.WireLen > len(raw.Data) {
		i.Snapped++
	}
	if raw.Longer {
		i.Longer.add(raw)
	}
	if raw.Uncountable {
		i.Uncountable.add(raw)
	}
}

// packets is a reader of one file format.
type packets interface {
	next(*Raw) error // io.EOF at the end, else a *DamageError
	count() uint64   // packets read so far
}

// file is one file of a source.
type file struct {
	info    FileInfo
	damage  *DamageError
	size    int64      // bytes on disk; 0 if it is no regular file
	regular bool       // it can be opened again
	pending Raw        // the next packet to deliver
	epoch   clockEpoch // of pending

	// These fields are set only while the file is open.
	packets packets
	close   func()
	read    counter
}

// counter counts the bytes read, for the progress of the source.
type counter struct {
	r    io.Reader
	n    int64
	done *atomic.Int64
	err  error // of the reader; nil before its first error, and at the end of the file
}

// Read implements [io.Reader].
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	c.done.Add(int64(n))
	if err != nil && err != io.EOF {
		c.err = err
	}
	return n, err
}

// stat checks path before it is opened, and stores the size of the file.
func (f *file) stat(path string) error {
	f.info.File = path
	if path == "-" {
		return nil
	}
	st, err := storage.Stat(path)
	switch {
	case err != nil:
		return NotOpened(path, err)
	case st.IsDir():
		example := "*.pcap"
		if storage.Is(path) { // no shell finds them
			example = "NAME.pcap"
		}
		return fmt.Errorf("%s: this is a directory; name the captures in it, as in %s", path, storage.Join(path, example))
	case st.Mode().IsRegular():
		f.regular, f.size = true, st.Size()
	}
	return nil
}

// open opens the file and reads its header. It returns a *NotCaptureError, a
// *DamageError or an error of the operating system.
func (f *file) open(index int, o *Options, done *atomic.Int64, ids *interfaces) error {
	f.info = FileInfo{File: f.info.File}
	f.pending = Raw{File: index}
	f.read = counter{r: o.Stdin, done: done}
	f.close = func() {}
	if f.info.File != "-" {
		opened, err := o.Files.Open(f.info.File)
		if err != nil {
			return NotOpened(f.info.File, err)
		}
		f.read.r = opened
		f.close = func() { opened.Close() } // opened for reading only: closing cannot lose data
	}
	err := f.header(ids, o.Comments)
	if err != nil {
		f.shut()
	}
	return err
}

// header finds compression and format, and makes the reader.
func (f *file) header(ids *interfaces, comments bool) error {
	in, err := f.content()
	if err != nil {
		return err
	}
	head, err := in.peek(16)
	if len(head) < 4 && err != io.EOF && f.info.Compression != "" {
		return shortRead(f.info.Compression, 0, "file header", len(head), pcapHeaderLen, err)
	}
	if len(head) < 4 && err != io.EOF {
		return fmt.Errorf("read capture: %w", err)
	}
	reg := func(about Interface) int {
		f.info.addInterface(len(f.info.LinkTypes) == 0, about.Link, about.SnapLen)
		return ids.add(about)
	}
	format := sniff(head)
	if format == nil {
		head, _ = in.peek(describedBytes) // the file may have fewer
		found, hint := describe(head)
		return &NotCaptureError{File: f.info.File, Compression: f.info.Compression, Found: found, Hint: hint}
	}
	if f.info.Format = format.name; format.unit == 0 {
		f.packets, err = newNgMerger(in, f.info.Compression, reg, comments)
		return err
	}
	f.packets, err = newPcapReader(in, f.info.Compression, f.regular, format, reg)
	return err
}

// content returns the uncompressed content of the file.
func (f *file) content() (*window, error) {
	// Reads larger than this buffer bypass it, so it costs nothing once the format is
	// known.
	raw := bufio.NewReaderSize(&f.read, 64<<10)
	head, _ := raw.Peek(8)
	f.info.Compression = sniffPacking(head)
	content, done, err := unpack(f.info.Compression, raw)
	if err != nil {
		return nil, &DamageError{
			Hint: hintPacked, Err: err,
			What: "the " + f.info.Compression + " data cannot be unpacked",
		}
	}
	closeFile := f.close
	f.close = func() { done(); closeFile() }
	return newWindow(content), nil
}

// next reads the next packet into f.pending and reports whether there is one. At the
// end of the file, damaged or not, it closes the file.
func (f *file) next() bool {
	err := f.packets.next(&f.pending)
	if err == nil {
		return true
	}
	f.end(err)
	return false
}

// end closes the file after the last result of its reader.
func (f *file) end(err error) {
	if err != io.EOF && !errors.Is(err, ErrStopped) {
		f.spoil(err)
	}
	f.finish()
}

// spoil stores that the file is damaged.
func (f *file) spoil(err error) {
	if !errors.As(err, &f.damage) {
		f.damage = &DamageError{What: "it cannot be read any more", Hint: "check the file and the medium", Err: err}
		if object := new(storage.Error); errors.As(err, &object) {
			f.damage.What, f.damage.Hint, f.damage.Err = object.What, object.Hint, nil
		}
	}
	f.damage.File, f.damage.Compression, f.damage.Read = f.info.File, f.info.Compression, f.read.err
	f.damage.Packet = 1
	if f.packets != nil {
		f.damage.Packet = f.packets.count() + 1
	}
	f.info.Truncated = true
}

// finish closes the file and never opens it again. Its unread part counts as done.
func (f *file) finish() {
	if rest := f.size - f.read.n; f.regular && rest > 0 {
		f.read.done.Add(rest)
	}
	f.shut()
}

// shut closes the file and frees its buffers. It may be called again.
func (f *file) shut() {
	f.close()
	f.close, f.packets, f.pending.Data = func() {}, nil, nil
}

// suspend closes the file, which will be opened again later.
func (f *file) suspend() {
	f.read.done.Add(-f.read.n)
	f.shut()
}
