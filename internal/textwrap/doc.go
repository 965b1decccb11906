// Package textwrap puts texts for people together: it breaks them at blanks to the width of a
// terminal, and writes numbers with their nouns.
package textwrap
