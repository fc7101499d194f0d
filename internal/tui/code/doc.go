// Package code colours source code, line by line, for about 30 languages.
//
// It is a scanner with one table for each language: the marks of comments and strings, and the
// keywords. It does not parse, so it is fast enough to colour code while a model writes it, and
// a wrong colour is all that can happen to code that it does not understand.
//
//		s := code.Named("go").Scanner()
//		for _, line := range lines {
//			rows = append(rows, s.Line(line))
//		}
//
//	  - language.go: [Language], [Named] by the name of a fence, [OfFile] by the name of a file.
//	  - scanner.go: [Scanner], which keeps comments and strings that go on over lines.
//	  - words.go: numbers, names, and the keys of data.
//	  - markup.go: XML and HTML, Markdown, diffs.
//	  - tables.go, more.go: the languages.
package code
