package symptoms

// rateCells is the number of cells in a second. The payload of the second before the
// silence of a path is compared with that of the second after its beginning.
const rateCells = 10

// keptCells bounds the cells whose payload a direction keeps. They must cover a second
// before a silence, and the time until the path counts as dead.
const keptCells = 48

// recentCells is the payload of all followed subflows in the latest cells. Cells count
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

// keepCell keeps the payload of the cell that ends, if there are paths to compare.
func (d *DataDir) keepCell(bytes, pause int64) {
	if len(d.c.followed) < 2 {
		return
	}
	if d.recent == nil {
		n := d.cellOf(d.cellEnd) - 1
		d.recent = &recentCells{first: n, end: n}
	}
	d.recent.add(bytes, pause)
	for i := range d.Handovers {
		h := &d.Handovers[i]
		if d.rate(h); h.failback.searching {
			d.findFailback(h)
		}
	}
}

// rate sets what all paths carried before the silence of a path and after its
// beginning. It does so once a second before and a second after are known.
func (d *DataDir) rate(h *Handover) {
	at := d.cellOf(h.Gap.From.Time)
	if h.Rated || d.recent == nil || d.cellOf(d.Data.To.Time) <= at+rateCells {
		return
	}
	before, known := d.recent.sum(at - rateCells)
	if after, all := d.recent.sum(at + 1); known && all {
		h.Before, h.After, h.Rated = before, after, true
	}
}
