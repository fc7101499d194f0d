// Package lazy has values that are made when they are first needed: tables, and compiled
// regular expressions.
//
// Begin with [Value].
package lazy
