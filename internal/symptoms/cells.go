package symptoms

import (
	"slices"

	"mpanalyze/internal/conn"
)

// cellLength is the length of the cells in which the use of paths is compared, ns.
const cellLength = 100e6

// rateCells is the number of cells in a second. The payload of the second before the
// silence of a path is compared with that of the second after its beginning.
const rateCells = 10

// keptCells bounds the cells whose payload a direction keeps. They must cover a second
// before a silence, and the time until the path counts as dead.
const keptCells = 48

// recentCells is the payload of one followed subflow, or of all, in the latest cells. Cells count
// from the first payload of the direction. The zero value is empty.
type recentCells struct {
	end   int64    // number of the cell after the latest one
	bytes []uint32 // of the latest cells, in their order; bounded by keptCells
}

// add takes the payload of a cell, and the number of empty cells after it. Cells follow each other.
func (r *recentCells) add(cell, bytes, pause int64) {
	r.end = cell + 1 + pause
	r.bytes = append(r.bytes, uint32(min(bytes, 1<<32-1)))
	r.bytes = append(r.bytes, make([]uint32, min(pause, keptCells))...)
	r.bytes = slices.Delete(r.bytes, 0, max(0, len(r.bytes)-keptCells))
}

// first returns the number of the first cell that is kept.
func (r *recentCells) first() int64 { return r.end - int64(len(r.bytes)) }

// sum returns the payload of a second from a cell on, bytes; negative where not all its cells are
// kept.
func (r *recentCells) sum(from int64) (bytes int64) {
	if from < r.first() || from+rateCells > r.end {
		return -1
	}
	for _, n := range r.bytes[from-r.first():][:rateCells] {
		bytes += int64(n)
	}
	return bytes
}

// cellOf returns the number of the cell of a time.
func (d *DataDir) cellOf(at int64) int64 { return (at - d.Data.From.Time) / cellLength }

// CellEnd returns the earliest time at which Tick has something to do, ns.
func (d *DataDir) CellEnd() int64 { return d.cellEnd }

// Tick ends the cells that lie before a packet. It must be called before any other method of
// either direction gets the packet.
func (d *DataDir) Tick(p *conn.Packet) {
	if now := p.Seg.Time; now >= d.cellEnd && follows(p) {
		d.tick(now)
	}
}

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
	cell, several := d.cellOf(d.cellEnd)-1, len(d.c.followed) > 1 // several: there are paths to compare
	if several {
		d.recent.add(cell, bytes, pause)
	}
	for _, s := range d.c.followed {
		if t := s.Path(d.from); several && (t.cellBytes > 0 || t.recent.end > 0) {
			t.recent.add(cell, t.cellBytes, pause)
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
