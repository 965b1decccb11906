// Package follow reassembles the byte stream that an application wrote to one
// direction of a connection, from whatever subflows carried it, and writes it
// out as far as it is known to be right.
package follow
