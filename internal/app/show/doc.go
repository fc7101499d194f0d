// Package show prints events for a person or a program to read.
//
// Begin with [Printer].
package show
