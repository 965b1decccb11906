// Package overlay reads series that neither a capture nor a record of the kernel has: signal
// strength, cells of a mobile network, positions, load of a processor. They come from a CSV file, and
// stand beside the figures of a capture over the same time.
package overlay
