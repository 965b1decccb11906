// Package textwrap breaks text at blanks to the width of a terminal.
package textwrap
