// Package bykey holds lists by key, in the order in which the keys came.
package bykey
