// Package gate judges the figures of one report by limits that a pipeline sets, such as
// "b2a.goodput < 5Mbit/s". A gate says which value fails. A figure that is absent passes no
// gate: it cannot be judged, and the result has the reason.
package gate
