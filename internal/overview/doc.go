// Package overview adds up what the connections of a report say together: what each path
// carried, which verdicts there are how often and what they cost, and which connections
// are the worst. It looks at one connection at a time, and what it keeps is bounded
// however many there are: [Keep] asks for as many connections in order as are shown.
package overview
