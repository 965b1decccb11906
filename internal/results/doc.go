// Package results keeps what tasks on many machines made of the runs of a campaign, and puts
// it together again.
//
// A task analyses its part of the runs and writes a [Result] for each: the figures that
// compare needs, or why there are none, and what they were made of. [Read] puts the results
// of all tasks in the order of the campaign. It refuses what does not belong together: results
// of other lists of runs, of other options or builds, and lists of which runs are missing.
package results
