// Package csvtables writes a report as tables, CSV or Parquet. Some tables hold the document itself, with a
// row per connection or per direction. The others hold rows that are written while the analysis
// runs.
package csvtables
