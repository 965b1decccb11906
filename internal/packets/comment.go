package packets

import (
	"strconv"
	"strings"

	"mpanalyze/internal/conn"
)

// Comment says in words what the marks of a packet mean. It is empty for a packet without
// marks.
func Comment(p *conn.Packet) string {
	m := marksOf(p)
	if m == 0 {
		return ""
	}
	text := strings.Join(m.list(), ",") + "; subflow " + strconv.Itoa(p.Sub.ID)
	if len(p.Pieces) == 0 {
		return text
	}
	var dsn [][2]int64
	for i := range p.Pieces {
		d := p.Pieces[i].Data
		dsn = append(dsn, [2]int64{int64(d.Start), int64(d.End)})
	}
	return string(appendDSN([]byte(text+"; DSN "), dsn))
}
