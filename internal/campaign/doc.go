// Package campaign turns the reports of single runs into a study. It finds which runs belong
// to which scenario, what the figures of a scenario are over its runs, which scenario is
// better and whether the difference is more than noise, and how two campaigns differ. It
// writes the tables that papers print.
//
// It also warns of what the means hide (the residue): runs of one scenario that differ in more
// than chance, runs that were left out, samples too small to show anything.
package campaign
