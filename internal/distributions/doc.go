// Package distributions gathers how figures are distributed over all connections: join
// delays, bursts, sizes, durations, subflows, and what each path carried hour by hour.
package distributions
