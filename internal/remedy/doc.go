// Package remedy says what to do about each verdict, in the settings of the kernel at hand.
// Its texts do not depend on a connection. Verdicts, explain and the HTML page use them;
// diagnose adds the numbers of a capture.
package remedy
