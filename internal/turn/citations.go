package turn

import (
	"strconv"
	"unicode/utf16"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// citationsOf are the citations of an answer in the protocol's form; nil if there are none.
func citationsOf(text string, found []model.Citation) *wire.Citations {
	if len(found) == 0 {
		return nil
	}
	out := &wire.Citations{}
	known := map[int]bool{}
	last := [2]int{-1, -1}
	for _, c := range found {
		id := "document-" + strconv.Itoa(c.Document)
		if !known[c.Document] {
			known[c.Document] = true
			out.Sources = append(out.Sources, wire.CitationSource{ID: id, Provider: wire.CitationByAnthropic, Title: wire.Optional(c.Title)})
		}
		if at := [2]int{c.Start, c.End}; at != last {
			last = at
			out.Spans = append(out.Spans, wire.CitationSpan{StartIndex: units(text, c.Start), EndIndex: units(text, c.End)})
		}
		span := &out.Spans[len(out.Spans)-1]
		reference := wire.CitationReference{SourceID: id, CitedText: wire.Optional(c.Cited)}
		switch c.Unit {
		case "page":
			reference.Location = &wire.CitedPages{StartPage: c.From, EndPage: c.To}
		case "char":
			reference.Location = &wire.CitedChars{StartIndex: c.From, EndIndex: c.To}
		case "block":
			reference.Location = &wire.CitedBlocks{StartBlock: c.From, EndBlock: c.To}
		}
		span.References = append(span.References, reference)
	}
	return out
}

// units is how many UTF-16 code units a text has before an offset in bytes.
func units(text string, end int) (n int64) {
	for _, r := range text[:min(end, len(text))] {
		n += int64(utf16.RuneLen(r))
	}
	return n
}
