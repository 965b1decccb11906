// Package textwrap puts texts for people together: it breaks them at blanks to the width of a
// terminal, writes numbers with their nouns, and lists what belongs to one key.
package textwrap
