// Package launch is what the programs that analyse captures have in common: mpanalyze, and
// mpanalyze-cloud, which is the same with object storage. It puts engine and commands
// together and readies the heap for long captures.
package launch
