package report

// NopRows takes rows and does nothing with them. A sink of some kinds of rows embeds it; no mappings
// are made for such a sink ([Unmapped]).
type NopRows struct{}

// Chunks takes rows of chunks.
func (NopRows) Chunks([]ChunkRow) error { return nil }

// Mappings takes rows of mappings.
func (NopRows) Mappings([]MappingRow) error { return nil }

// Event takes a row of an event.
func (NopRows) Event(*EventRow) error { return nil }

// Unmapped says that mappings are of no use.
func (NopRows) Unmapped() {}
