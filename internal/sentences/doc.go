// Package sentences makes the words of verdicts: headline, sentence, what to do, and what explain says of them.
// It fills the templates of package diagnose (verdicts/*.txt) with the facts of a verdict. No judge
// imports it, and nothing decides by its words.
package sentences
