// Package campaign makes a study out of the reports of its runs: which runs
// belong to which scenario, what a scenario's figures are over its runs, which
// scenario is better and whether that is more than noise, how two campaigns
// differ, and the tables that papers print.
//
// What was averaged over is reported (the residue): runs of one scenario that
// differ in more than chance, runs that were left out, samples too small to
// show anything.
package campaign
