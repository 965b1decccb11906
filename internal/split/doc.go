// Package split divides a capture into parts by connection. With the parts it stores what
// their analyses need so that together they give the same report as the whole capture.
package split
