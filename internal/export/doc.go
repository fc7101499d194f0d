// Package export writes a session as a file for people or programs: a Markdown document, a page
// of HTML that needs nothing else, or the events as JSON, one a line. The commands `sessions
// export` and `/export` use it.
package export
