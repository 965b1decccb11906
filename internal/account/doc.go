// Package account divides the time of a data direction among states: each instant, from the
// first data sent to the last acknowledgment, belongs to one state of each subflow and of
// the connection. Each rule finds, in its own file, the times at which it holds; [Account]
// puts these times together by their precedence for a capture at the sender, [Remote] for one elsewhere,
// and [Inferred] as one at the receiver lets infer. The rules follow T-RAT (Zhang et al., 2002)
// and the root-cause analysis of Siekkinen et al. (2005-2008), for several paths.
package account
