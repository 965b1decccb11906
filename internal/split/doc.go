// Package split divides a capture into parts by connection, and keeps what makes the
// analyses of the parts say together what that of the whole says.
package split
