// Package textwrap puts texts for people together: it breaks them at blanks to the width of a
// terminal, puts rows of cells into columns that fit it, and writes numbers with their nouns.
package textwrap
