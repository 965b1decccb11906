package csvtables

import (
	"reflect"
	"strconv"

	"mpanalyze/internal/decimal"
	"mpanalyze/internal/report"
)

// Series writes rows of series.csv.
func (t *Writer) Series(rows []report.SeriesRow) error {
	if t.series == nil {
		return nil
	}
	for i := range rows {
		r := &rows[i]
		b := appendSeconds(append(t.series.row(), t.series.prefixes.line(r.SeriesLine)...), r.T)
		t.series.write(decimal.AppendRounded(b, r.Value))
	}
	return t.series.err
}

// Chunks writes rows of chunks.csv.
func (t *Writer) Chunks(rows []report.ChunkRow) error {
	if t.chunks == nil {
		return nil
	}
	for i := range rows {
		r := &rows[i]
		b := append(t.chunks.row(), t.chunks.prefixes.cell(r.Cell)...)
		b = appendInt(appendInt(appendInt(appendInt(b, r.Packet), r.DSN), r.SSN), r.Length)
		b = append(append(b, r.Kind...), ',')
		for _, ns := range [...]int64{r.Sent, r.Acked, r.DataAcked, r.Arrived, r.Delivered} {
			b = appendSeconds(b, ns)
		}
		t.chunks.write(b[:len(b)-1]) // no comma behind the last column
	}
	return t.chunks.err
}

// Mappings writes rows of mappings.csv.
func (t *Writer) Mappings(rows []report.MappingRow) error {
	for i := range rows {
		r := &rows[i]
		b := append(t.mappings.row(), t.mappings.prefixes.cell(r.Cell)...)
		b = appendSeconds(appendInt(appendInt(b, r.Packet), r.Packets), r.T)
		b = append(strconv.AppendUint(appendInt(b, r.DSN), r.WireDSN, 10), ',')
		b = appendInt(appendInt(appendInt(b, int64(r.DSNBytes)), r.SSN), r.Length)
		b = appendBool(appendBool(appendBool(b, r.DataFin), r.Infinite), r.Repeated)
		if r.Checksum >= 0 {
			b = strconv.AppendInt(b, int64(r.Checksum), 10)
		}
		b = append(b, ',')
		if r.ChecksumOK != nil {
			b = strconv.AppendBool(b, *r.ChecksumOK)
		}
		t.mappings.write(b)
	}
	return t.mappings.err
}

// Event writes a row of events.csv.
func (t *Writer) Event(r *report.EventRow) error {
	b := appendSeconds(appendPacket(appendCell(t.events.row(), &r.Cell), r.Packet), r.T)
	b = append(append(b, r.Kind...), ',')
	b = appendFields(append(appendText(b, r.Detail), ','), eventFacts, reflect.ValueOf(&r.EventFacts).Elem())
	t.events.write(b[:len(b)-1]) // no comma behind the last column
	return t.events.err
}

// Packet writes a row of packets.csv.
func (t *Writer) Packet(r *report.PacketRow) error {
	if t.packets == nil {
		return nil
	}
	b := appendCell(t.packets.row(), &r.Cell)
	b = append(append(appendInt(appendInt(b, r.SSN), r.Length), r.Fate...), ',')
	b = appendSeconds(appendPacket(b, r.SentPacket), r.Sent)
	b = appendSeconds(appendPacket(b, r.ArrivedPacket), r.Arrived)
	t.packets.write(b[:len(b)-1]) // no comma behind the last column
	return t.packets.err
}

// appendPacket appends the number of a packet and a comma. For 0, no packet, it appends only
// the comma.
func appendPacket(b []byte, n int64) []byte {
	if n != 0 {
		b = strconv.AppendInt(b, n, 10)
	}
	return append(b, ',')
}
