// Package diagnose says why a connection does not aggregate its paths, or got
// slow: verdicts on the finished figures of packages metrics and report, each
// with the packets and the numbers that prove it, the gravest first. What one
// capture cannot tell apart is said as the possibilities that remain.
package diagnose
