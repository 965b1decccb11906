package extract

import (
	"fmt"
	"io"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"mpanalyze/internal/capture"
)

// Section says how a file is written.
type Section struct {
	Application, Comment string // values of the section header
	KeepNumbers          bool   // the interfaces have the numbers that they have in the source, also without packets
}

// Writer copies packets of a source into a pcapng file. The file has an interface for each
// interface of these packets. A file without packets stays empty.
type Writer struct {
	out        io.Writer
	source     *capture.Source
	about      Section
	file       *pcapgo.NgWriter // nil before the first packet
	interfaces map[int]int      // from interfaces of the source to those of the file; bounded by the source
}

// NewWriter returns a writer. The source must have been opened with comments.
func NewWriter(w io.Writer, source *capture.Source, about Section) *Writer {
	return &Writer{out: w, source: source, about: about, interfaces: map[int]int{}}
}

// Packet writes a packet with these comments. It must be the latest packet of the source.
// Times of pcapng are unsigned, so it refuses a time before 1970, which would wrap.
func (w *Writer) Packet(raw *capture.Raw, comments []string) error {
	if raw.Time < 0 {
		return fmt.Errorf("packet %d has a time before 1970, which a pcapng file cannot hold; shift the times of the capture, as editcap -t does", raw.Num)
	}
	iface, err := w.iface(raw)
	if err != nil {
		return err
	}
	info := gopacket.CaptureInfo{
		Timestamp: time.Unix(0, raw.Time), CaptureLength: len(raw.Data), Length: raw.WireLen, InterfaceIndex: iface,
	}
	return w.file.WritePacketWithOptions(info, raw.Data, pcapgo.NgPacketOptions{Comments: comments})
}

// Flush writes the rest of the buffer.
func (w *Writer) Flush() error {
	if w.file == nil {
		return nil
	}
	return w.file.Flush()
}

// iface returns the number of the file's interface for a packet. It adds the interface to the
// file if it is new.
func (w *Writer) iface(raw *capture.Raw) (int, error) {
	i, ok := w.interfaces[raw.Iface]
	if ok {
		return i, nil
	}
	for n := len(w.interfaces); w.about.KeepNumbers && n < min(raw.Iface, w.source.Interfaces()); n = len(w.interfaces) {
		if _, err := w.add(n, w.source.Interface(&capture.Raw{Iface: n})); err != nil {
			return 0, err
		}
	}
	return w.add(raw.Iface, w.source.Interface(raw))
}

// add adds an interface of the source and returns its number in the file.
func (w *Writer) add(number int, of capture.Interface) (i int, err error) {
	about := pcapgo.NgInterface{
		Name: of.Name, Description: of.Description, SnapLength: of.SnapLen,
		LinkType: layers.LinkType(of.Link), TimestampResolution: 9,
	}
	if w.file == nil {
		section := pcapgo.NgSectionInfo{Application: w.about.Application, Comment: w.about.Comment}
		w.file, err = pcapgo.NewNgWriterInterface(w.out, about, pcapgo.NgWriterOptions{SectionInfo: section})
	} else {
		i, err = w.file.AddInterface(about)
	}
	if err != nil {
		return 0, err
	}
	w.interfaces[number] = i
	return i, nil
}
