// Package parquet writes tables of plain columns as Apache Parquet files. It knows what tables
// need and no more: every column may have nulls, values are written as they are (encoding
// PLAIN), pages are compressed with zstd. The library parquet-go adds 31 % to the program;
// tests read with it what this package writes.
//
// https://github.com/apache/parquet-format has the format. It was taken from version 2.10.
package parquet
