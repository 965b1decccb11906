// Package remedy says what to do about each verdict. Its texts do not depend on a
// connection. Verdicts, explain and the HTML page use them; diagnose adds the numbers of a
// capture.
package remedy
