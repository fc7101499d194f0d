package agentcmd

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"os"
	"regexp"
	"strconv"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// maxReply bounds an answer, in bytes, as platforms do. Source: docs/extensions.md,
// "Bounds".
const maxReply = 32 << 20

// checkFile checks an answer that was recorded, with or without its headers.
func checkFile(o *cli.Options, name string) (*checked, error) {
	raw, err := recorded(o, name)
	if err != nil {
		return nil, err
	}
	if len(raw) > maxReply {
		return nil, fault.New(fault.Invalid, "app.checkFile", name, "the answer is longer than %d MiB", maxReply>>20)
	}
	status, header, body := splitReply(raw)
	r := &checked{On: name, Status: status, ContentType: header.Get("Content-Type"), Bytes: len(body)}
	if name == "-" {
		r.On = "standard input"
	}
	r.answer(header, status, body)
	before := raw[:len(raw)-len(body)]
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Line > 0 { // where it is in the file
			f.Line += bytes.Count(before, []byte("\n"))
			f.Offset += int64(len(before))
		}
	}
	return r, nil
}

// recorded is a file's contents, one byte more than allowed at most.
func recorded(o *cli.Options, name string) ([]byte, error) {
	in := o.Sys.Stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, &fault.Error{Op: "app.checkFile", On: name, Kind: fault.Invalid, Err: cli.Reason(err)}
		}
		defer func() { _ = f.Close() }() // it is only read
		in = f
	}
	raw, err := io.ReadAll(io.LimitReader(in, maxReply+1))
	if err != nil {
		return nil, &fault.Error{Op: "app.checkFile", On: name, Kind: fault.Unavailable, Err: cli.Reason(err)}
	}
	return raw, nil
}

var statusLine = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile(`^HTTP/[0-9.]+ ([0-9]{3})[^\n]*\n`) }}

var webPage = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile(`(?i)^(\x{feff}|\s)*(<!doctype html|<html)`) }}

// splitReply takes the headers off, if there are any; status is 0 then, and all is
// body.
func splitReply(raw []byte) (status int, header http.Header, body []byte) {
	m := statusLine.Get().FindSubmatch(raw)
	if m == nil {
		return 0, nil, raw
	}
	rest := bytes.NewReader(raw[len(m[0]):])
	in := bufio.NewReader(rest)
	h, err := textproto.NewReader(in).ReadMIMEHeader()
	if err != nil {
		return 0, nil, raw
	}
	status, _ = strconv.Atoi(string(m[1])) // three digits
	return status, http.Header(h), raw[len(raw)-rest.Len()-in.Buffered():]
}

// answer holds an answer against the rules. A status of 0 is not known, and neither
// are the headers then.
func (r *checked) answer(header http.Header, status int, body []byte) {
	if webPage.Get().Match(body) { // one rule is of no help there
		r.Findings = append(r.Findings, checkFinding{
			About: "answer", Severity: isError, Line: 1, Text: "this is a page for a browser, not an agent's answer",
			Fix: "is the URL that of the agent? Many agents have a path of their own, such as /agent",
		})
		return
	}
	for _, f := range extension.Check(header, status, bytes.NewReader(body)) {
		if status == 0 && f.Line == 0 {
			continue // about what was not recorded
		}
		severity := isError
		if f.Severity == extension.Warn {
			severity = isWarning
		}
		r.Findings = append(r.Findings, checkFinding{
			About: "answer", Severity: severity, Rule: f.Rule, Name: f.Name, Line: f.Line, Offset: f.Offset, Text: f.Text, Fix: f.Fix,
		})
	}
	if len(r.Findings) == 0 {
		r.Findings = append(r.Findings, checkFinding{About: "answer", Text: fmt.Sprintf("follows all %d rules", len(extension.Rules()))})
	}
}
