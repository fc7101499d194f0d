package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// script is what a message asks the scripted model to do.
type script struct {
	chunks int           // pieces of text in the last answer
	gap    time.Duration // between two pieces, in whole microseconds; 0 is none
	tools  int           // turns with a tool call before the last answer
}

// marker begins a script in a message.
const marker = "BENCHSCRIPT"

func (s script) String() string {
	return fmt.Sprintf("%s chunks=%d gap=%d tools=%d.", marker, s.chunks, s.gap.Microseconds(), s.tools)
}

// request is what the model needs to know of a request.
type request struct {
	script  script
	results int // tool results after the script
	stream  bool
}

// read finds the last script of a request, in which result begins the result of a tool. It looks for words in the bytes and
// decodes no JSON: decoding a conversation of 100 KB would take longer than what is
// measured. A request without a script, for a title for instance, gets one chunk.
func read(body []byte, result string) request {
	r := request{script: script{chunks: 1}, stream: has(body, `"stream":true`) > 0}
	at := bytes.LastIndex(body, []byte(marker))
	if at < 0 {
		return r
	}
	rest := body[at:]
	r.results = has(rest, result)
	text, _, _ := strings.Cut(string(rest[:min(len(rest), 200)]), ".")
	r.script.chunks = parameter(text, "chunks")
	r.script.gap = time.Duration(parameter(text, "gap")) * time.Microsecond
	r.script.tools = parameter(text, "tools")
	return r
}

// has counts a JSON member, written with or without a space after the colon.
func has(body []byte, member string) int {
	return bytes.Count(body, []byte(member)) + bytes.Count(body, []byte(strings.Replace(member, ":", ": ", 1)))
}

// parameter is the number after "name=", 0 if there is none.
func parameter(text, name string) int {
	_, after, _ := strings.Cut(text, " "+name+"=")
	digits, _, _ := strings.Cut(after, " ")
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}
