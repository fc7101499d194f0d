// Package code colours source code, line by line, for about 30 languages.
//
// It is a scanner with one table for each language: the marks of comments and strings, and the
// keywords. It does not parse, so it is fast enough to colour code while a model writes it, and
// a wrong colour is all that can happen to code that it does not understand.
//
//	s := code.Named("go").Scanner()
//	for _, line := range lines {
//		rows = append(rows, s.Line(line))
//	}
//
// Begin with [Language], [Named] and [OfFile].
package code
