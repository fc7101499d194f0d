// Package export writes a session as a file for people or programs: a Markdown document
// (markdown.go), a page of HTML that needs nothing else (html.go), or the events as JSON, one a
// line (export.go). The commands `sessions export` and `/export` use it.
package export
