// Package pager reads long text at a terminal with the keys of less: a whole session, the output
// of a tool, a diff. It is a value: keys change it, and Rows shows it.
//
// The text comes from a [Source] item by item, when it is needed, so that a session of any
// length opens at once. A place in the text is an item and how much of it is above the screen, so
// that it stays when the width changes or items are added.
package pager
