package split

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/output"
	"mpanalyze/internal/packet"
)

// Steps are stored as a byte with kind and lateness, the time as the difference to the
// step before, packet number, order and first packet as varints, and the 4-tuple where
// there is one.
const (
	lateFlag = 1 << 6
	lastStep = 1 << 7 // nothing follows
	flowLen  = 2 * (16 + 2)
)

// stepWriter writes steps.
type stepWriter struct {
	out  io.Writer
	time int64 // of the step before, ns
	buf  []byte
}

func (w *stepWriter) add(s *conn.Step) error {
	kind := byte(s.Kind)
	if s.Late {
		kind |= lateFlag
	}
	b := append(w.buf[:0], kind)
	b = binary.AppendVarint(b, s.At.Time-w.time)
	for _, v := range [...]uint64{s.At.Num, uint64(s.Order), s.First} {
		b = binary.AppendUvarint(b, v)
	}
	if s.Kind != conn.StepFinish {
		for _, e := range s.Flow {
			b = append(b, e.Addr[:]...)
			b = binary.LittleEndian.AppendUint16(b, e.Port)
		}
	}
	w.buf, w.time = b, s.At.Time
	_, err := w.out.Write(b)
	return err
}

func (w *stepWriter) finish() error {
	_, err := w.out.Write([]byte{lastStep})
	return err
}

// stepReader reads steps.
type stepReader struct {
	in   *bufio.Reader
	time int64
}

// errStepsCut says that steps end too early or make no sense.
var errStepsCut = errors.New("it is cut or damaged; split the capture again")

// cut returns the error to report when steps cannot be read. An error of the system or of a
// storage is returned as it is, because the file is not damaged then.
func cut(err error) error {
	if errors.As(err, new(*fs.PathError)) {
		return err
	}
	return errStepsCut
}

// next returns the next step; ok is false behind the last one.
func (r *stepReader) next() (s conn.Step, ok bool, err error) {
	kind, err := r.in.ReadByte()
	if err != nil {
		return s, false, cut(err)
	}
	if kind == lastStep {
		return s, false, nil
	}
	s.Late, s.Kind = kind&lateFlag != 0, conn.StepKind(kind&^lateFlag)
	since, err := binary.ReadVarint(r.in)
	values := [3]uint64{}
	for i := range values {
		if err == nil {
			values[i], err = binary.ReadUvarint(r.in)
		}
	}
	if err != nil || s.Kind >= conn.NumSteps || values[1] > maxOrder {
		return s, false, cut(err)
	}
	r.time += since
	s.At = conn.Position{Time: r.time, Num: values[0]}
	s.Order, s.First = int(values[1]), values[2]
	if s.Kind != conn.StepFinish {
		var flow [flowLen]byte
		if _, err := io.ReadFull(r.in, flow[:]); err != nil {
			return s, false, cut(err)
		}
		for i := range s.Flow {
			b := flow[i*flowLen/2:]
			s.Flow[i] = packet.Endpoint{Addr: [16]byte(b), Port: binary.LittleEndian.Uint16(b[16:])}
		}
	}
	return s, true, nil
}

// stepLog keeps the steps of the whole capture in a temporary file.
type stepLog struct {
	file *output.Scratch
	buf  *bufio.Writer
	w    stepWriter
	err  error
}

func newStepLog(file *output.Scratch) *stepLog {
	l := &stepLog{file: file, buf: bufio.NewWriter(file)}
	l.w.out = l.buf
	return l
}

func (l *stepLog) add(s *conn.Step) {
	if err := l.w.add(s); l.err == nil {
		l.err = err
	}
}

// read returns a reader of the log from its beginning. No step may be added afterwards.
func (l *stepLog) read() (*stepReader, error) {
	if err := errors.Join(l.err, l.w.finish(), l.buf.Flush()); err != nil {
		return nil, err
	}
	return &stepReader{in: bufio.NewReader(io.NewSectionReader(l.file, 0, 1<<62))}, nil
}

// maxOrder is the highest [conn.Conn.Order] that is stored.
const maxOrder = 1<<32 - 1

// magic begins a file of steps.
const magic = "mpanalyze steps 1\n"

// appendNumbers appends a list of ascending numbers.
func appendNumbers(b []byte, list []int) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	before := 0
	for _, v := range list {
		b = binary.AppendUvarint(b, uint64(v-before))
		before = v
	}
	return b
}

// readNumbers reads a list of ascending numbers. It fails before it takes more memory than
// the file has bytes.
func readNumbers(in *bufio.Reader) (list []int, err error) {
	n, err := binary.ReadUvarint(in)
	before := uint64(0)
	for i := uint64(0); i < n && err == nil; i++ {
		var by uint64
		if by, err = binary.ReadUvarint(in); by > maxOrder || before+by > maxOrder {
			err = errStepsCut
		}
		before += by
		list = append(list, int(before))
	}
	if err != nil {
		return nil, cut(err)
	}
	return list, nil
}

// readPlan reads a file of steps.
func readPlan(file io.Reader) (*conn.Plan, error) {
	in := bufio.NewReaderSize(file, 1<<16)
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(in, head); errors.As(err, new(*fs.PathError)) {
		return nil, err
	} else if err != nil || string(head) != magic {
		return nil, fmt.Errorf("it holds no steps of a split; split the capture again")
	}
	orders, err := readNumbers(in)
	if err != nil {
		return nil, err
	}
	ids, err := readNumbers(in)
	if err != nil {
		return nil, err
	}
	return &conn.Plan{Orders: orders, IDs: ids, Steps: (&stepReader{in: in}).next}, nil
}
