// Package diagnose explains why a connection does not aggregate its paths, or became slow.
// It finds verdicts in the finished figures of packages metrics and report. Each verdict
// has the packets and the numbers that prove it; the most severe one comes first. If one
// capture does not show which of two causes is true, the verdict names both.
package diagnose
