// Package runs analyses the runs of a campaign, several at once. It keeps their figures in a
// cache and makes the results of single runs. Each run is an analysis of package engine. A report
// may stand for a run in place of captures.
package runs
