// Package follow reassembles the byte stream that an application wrote in one direction of a
// connection, from all subflows. It writes the stream up to the first byte that is missing.
package follow
