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

// flushSeries gives the sink the rows of series that wait.
func (r *Stream) flushSeries() {
	rows := r.series[:r.seriesCount]
	if r.seriesCount = 0; r.err == nil && len(rows) > 0 {
		r.err = r.sink.Series(rows)
	}
}

// flushChunks gives the sink the rows on chunks that wait.
func (r *Stream) flushChunks() {
	rows := r.chunks[:r.chunkCount]
	if r.chunkCount = 0; r.err == nil && len(rows) > 0 {
		r.err = r.sink.Chunks(rows)
	}
}

// flushMappings gives the sink the rows on mappings that wait.
func (r *Stream) flushMappings() {
	rows := r.mappings[:r.mappingCount]
	if r.mappingCount = 0; r.err == nil && len(rows) > 0 {
		r.err = r.sink.Mappings(rows)
	}
}
