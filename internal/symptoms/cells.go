package symptoms

// cellLength is the length of the cells in which the use of paths is compared, ns.
const cellLength = 100e6

// rateCells is the number of cells in a second. The payload of the second before the
// silence of a path is compared with that of the second after its beginning.
const rateCells = 10

// keptCells bounds the cells whose payload a direction keeps. They must cover a second
// before a silence, and the time until the path counts as dead.
const keptCells = 48

// recentCells is the payload of one followed subflow, or of all, in the latest cells. Cells count
// from the first payload of the direction.
type recentCells struct {
	first, end int64             // the cells that are kept: from first up to end, without end
	bytes      [keptCells]uint32 // by the cell's number modulo keptCells
}

// add takes the payload of the cell that ended, and the number of empty cells after it.
func (r *recentCells) add(bytes int64, pause int64) {
	r.bytes[r.end%keptCells] = uint32(min(bytes, 1<<32-1))
	r.end++
	for range min(pause, keptCells) {
		r.bytes[r.end%keptCells] = 0
		r.end++
	}
	r.end += max(0, pause-keptCells)
	r.first = max(r.first, r.end-keptCells)
}

// sum returns the payload of a second from a cell on, bytes; known says whether all its
// cells are kept.
func (r *recentCells) sum(from int64) (bytes int64, known bool) {
	if from < r.first || from+rateCells > r.end {
		return 0, false
	}
	for i := from; i < from+rateCells; i++ {
		bytes += int64(r.bytes[i%keptCells])
	}
	return bytes, true
}

// cellOf returns the number of the cell of a time.
func (d *DataDir) cellOf(at int64) int64 { return (at - d.Data.From.Time) / cellLength }

// tick ends the cell that lies before now. If several cells lie before now, only the
// first can have payload.
func (d *DataDir) tick(now int64) {
	pause := (now - d.cellEnd) / cellLength
	carriers, bytes := 0, int64(0) // number of subflows that carried payload, and bytes of all payload
	for _, s := range d.c.followed {
		if n := s.Path(d.from).cellBytes; n > 0 {
			carriers++
			bytes += n
		}
	}
	several := len(d.c.followed) > 1 // there are paths to compare
	if several {
		d.keepCell(&d.recent, bytes, pause)
	}
	for _, s := range d.c.followed {
		if t := s.Path(d.from); several && (t.cellBytes > 0 || t.recent != nil) {
			d.keepCell(&t.recent, t.cellBytes, pause)
		}
		if carriers > 0 {
			d.Follow(s).endCell(carriers)
		}
	}
	if carriers > 0 {
		d.Cells++
	}
	d.findDead(now)
	for i := range d.Handovers {
		d.compare(&d.Handovers[i])
	}
	d.cellEnd += (pause + 1) * cellLength
}

// keepCell keeps the payload of the cell that ends, and the number of empty cells after it.
func (d *DataDir) keepCell(in **recentCells, bytes, pause int64) {
	if *in == nil {
		n := d.cellOf(d.cellEnd) - 1
		*in = &recentCells{first: n, end: n}
	}
	(*in).add(bytes, pause)
}

// endCell ends the open cell. carriers is the number of subflows that carried payload in it.
func (t *Path) endCell(carriers int) {
	carried, start := t.cellBytes > 0, t.dir.cellEnd-cellLength
	t.cellBytes = 0
	if carried {
		t.BusyCells++
		if carriers > 1 {
			t.SharedCells++
		}
	}
	s := t.sub.Sub
	if s.SYN != 0 && (s.ThirdACK == 0 || s.ThirdACK > start) || s.Done() {
		return
	}
	t.OpenCells++
	t.OpenUntil = t.dir.cellEnd
	if carried || t.dir.atSender && t.sender.InFlight() > 0 {
		t.IdleRun = 0
		return
	}
	t.IdleCells++
	t.IdleRun++
	t.LongestIdle = max(t.LongestIdle, t.IdleRun)
}
