// Package plot draws figures of sessions: SVG, PNG and PDF for publications.
package plot
