// Package mutate changes captures in ways that happen to files and networks, and in ways that
// only an attacker or a fault causes. Tests run the program on the results. A change keeps what
// was right of the DSS checksums, so that it reaches the code behind them; the program looks at no checksums
// of IP and TCP. All choices come from a random source: equal seeds make equal files. It has tests only.
package mutate
