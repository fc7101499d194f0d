package question

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// yeses are the words that allow something in some question. One of them with more text behind it
// allows nothing anywhere, because "yes, but not that file" is no approval.
var yeses = []string{"y", "yes", "once", "a", "always", "l", "location"}

// OnlyWord is the remark about a yes that has more text behind it.
const OnlyWord = "nothing was approved: a yes must be the only word"

// Typed finds the option that a typed line chooses, by its key, its number, its words or its text,
// and the text that goes with it. The index is -1 if the line chooses none; remark then says why,
// "" if the line means nothing here. own is set if the line is an answer in the user's own words.
func (q *Question) Typed(line string) (option int, text string, own *Answer, remark string) {
	line = strings.TrimSpace(line)
	if q.Kind == Input || q.Kind == Plan {
		return q.chosen(line)
	}
	word, rest := firstWord(line)
	i := slices.IndexFunc(q.Options, func(o Option) bool { return o.Has(word) })
	switch {
	case rest != "" && slices.Contains(yeses, word):
		return -1, "", nil, OnlyWord
	case i < 0:
		return -1, "", nil, q.refused[word]
	case rest != "" && q.Options[i].Allows:
		return -1, "", nil, OnlyWord
	}
	return i, rest, nil, ""
}

// firstWord is the first word of a line in lower case, and the rest.
func firstWord(line string) (word, rest string) {
	word, rest, _ = strings.Cut(strings.TrimSpace(line), " ")
	return strings.ToLower(strings.TrimRight(word, ",:;")), strings.TrimSpace(rest)
}

// Has reports whether a word in lower case chooses the option: its key, or one of its words.
func (o *Option) Has(word string) bool {
	return word != "" && (o.Key == word || slices.Contains(o.Words, word))
}

// chosen is [Question.Typed] for questions whose answer may be in the user's own words: the whole
// line names a choice by its number or its text, or it is the answer.
func (q *Question) chosen(line string) (option int, text string, own *Answer, remark string) {
	numbered := q.Numbered()
	if i := pick(q.texts(numbered), line); i >= 0 {
		return numbered[i], "", nil, ""
	}
	i := slices.IndexFunc(q.Options, func(o Option) bool { return o.Has(line) })
	switch {
	case line == "":
		return -1, "", nil, ""
	case i >= 0:
		return i, "", nil, ""
	case q.own != nil:
		a := q.own(line)
		return -1, "", &a, ""
	}
	return -1, "", nil, fmt.Sprintf("choose a number from 1 to %d", len(numbered))
}

// Numbered are the indexes of the options that are chosen by their number, in their order.
func (q *Question) Numbered() (out []int) {
	for i, o := range q.Options {
		if o.Number > 0 {
			out = append(out, i)
		}
	}
	return out
}

func (q *Question) texts(indexes []int) (out []string) {
	for _, i := range indexes {
		out = append(out, q.Options[i].Text)
	}
	return out
}

// pick is the index of the choice that an answer names by its number or its text, -1 for none.
func pick(choices []string, answer string) int {
	if n, err := strconv.Atoi(answer); err == nil && 1 <= n && n <= len(choices) {
		return n - 1
	}
	return slices.IndexFunc(choices, func(c string) bool { return strings.EqualFold(strings.TrimSpace(c), answer) && answer != "" })
}
