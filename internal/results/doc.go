// Package results stores what tasks on many machines found for the runs of a campaign, and
// puts it together again.
//
// A task analyses its part of the runs and writes a [Result] for each: the figures that
// compare needs, or why there are none, and from which files and options they were made. [Read]
// puts the results of all tasks in the order of the campaign. It refuses results of different
// lists of runs and lists with missing runs, and tells in what options or builds results differ.
package results
