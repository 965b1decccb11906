// Package diagnose says why a connection does not aggregate its paths, or got
// slow. It gives verdicts on the finished figures of packages metrics and report, each
// with the packets and the numbers that prove it, the most severe first. Where one
// capture cannot tell two causes apart, the verdict names both.
package diagnose
