// Package metrics turns the life of a connection into numbers: per subflow and
// direction, per connection and direction, each as a distribution over the
// whole run and, on request, as a series. What a capture cannot show is absent
// with its reason. The package knows no output format.
//
// The definitions are those of METRICS in the table of this package, with the
// papers and RFC sections that they come from.
package metrics
