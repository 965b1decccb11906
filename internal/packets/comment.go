package packets

import (
	"strconv"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/seq"
)

// Comment says in words what the marks of a packet mean. It is empty for a packet without
// marks.
func Comment(p *conn.Packet) string {
	m := marksOf(p)
	if m == 0 {
		return ""
	}
	text := string(m.append(nil)) + "; subflow " + strconv.Itoa(p.Sub.ID)
	if len(p.Pieces) == 0 {
		return text
	}
	var dsn []seq.Range[seq.DSN]
	for i := range p.Pieces {
		dsn = append(dsn, p.Pieces[i].Data)
	}
	return string(appendDSN([]byte(text+"; DSN "), dsn))
}
