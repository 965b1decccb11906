// Package evidence joins records of hosts ([hosts]) to the connections of captures: rows of
// ss by addresses, tokens and inodes, times by counters. It fills in what a report says of
// the kernels, and names the causes of verdicts that records prove. It changes no figure that
// packets gave. The causes are rows of causes.json: which facts must hold for which verdict, of which
// host, and the sentence that says so.
//
// Records are read before the captures. Of each socket it keeps distributions, the last
// values, and up to maxKept rows of counters. While the captures are read, it finds for each of these
// rows the time in which the counters of the packets had the values of the row.
package evidence
