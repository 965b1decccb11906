// Package launch is the common part of the programs that analyse captures: mpanalyze,
// and mpanalyze-cloud, which also reads object storage. It connects engine and
// commands, and prepares the heap for long captures.
package launch
