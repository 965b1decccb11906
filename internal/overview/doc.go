// Package overview adds up the connections of a report: how much each path carried, how often
// there is which verdict and what it costs, and which connections are the worst. It reads one
// connection at a time. Its memory is bounded for any number of connections: [Keep] says how
// many of the worst connections it keeps.
package overview
