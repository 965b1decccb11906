package rows

import "mpanalyze/internal/report"

// How many rows a sink gets at once. With so many rows the cost of a call does not
// matter, and so few rows stay in the first-level cache.
const (
	seriesBlock  = 256
	chunkBlock   = 64
	mappingBlock = 32
)

// blocks gather the rows of each table in the order that they come.
type blocks struct {
	series   [seriesBlock]report.SeriesRow
	chunks   [chunkBlock]report.ChunkRow
	mappings [mappingBlock]report.MappingRow

	seriesCount, chunkCount, mappingCount uint // number of rows that are filled in
}

// nextChunks returns the next rows for chunks.csv, to be filled in. It returns wanted
// rows or, at the end of a block, fewer.
func (r *Stream) nextChunks(wanted int) []report.ChunkRow {
	if r.chunkCount == chunkBlock {
		r.flushChunks()
	}
	rows := r.chunks[r.chunkCount:min(r.chunkCount+uint(wanted), chunkBlock)]
	r.chunkCount += uint(len(rows))
	return rows
}

// nextChunk returns the next row for chunks.csv, to be filled in.
func (r *Stream) nextChunk() *report.ChunkRow { return &r.nextChunks(1)[0] }

// nextMapping returns the next row for mappings.csv, to be filled in.
func (r *Stream) nextMapping() *report.MappingRow {
	if r.mappingCount == mappingBlock {
		r.flushMappings()
	}
	r.mappingCount++
	return &r.mappings[r.mappingCount-1]
}

func (r *Stream) flushSeries()   { flush(r, r.series[:], &r.seriesCount, r.sink.Series) }
func (r *Stream) flushChunks()   { flush(r, r.chunks[:], &r.chunkCount, r.sink.Chunks) }
func (r *Stream) flushMappings() { flush(r, r.mappings[:], &r.mappingCount, r.sink.Mappings) }

// flush gives the sink the rows of a block that wait.
func flush[T any](r *Stream, block []T, count *uint, sink func([]T) error) {
	rows := block[:*count]
	if *count = 0; r.err == nil && len(rows) > 0 {
		r.err = sink(rows)
	}
}
