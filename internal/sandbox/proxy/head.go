package proxy

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
)

// readRequest reads the head of an HTTP request. The reader continues behind the head. A nil
// request without a failure means that the client has closed the connection.
func readRequest(r *bufio.Reader) (*http.Request, *bufio.Reader, *failure) {
	head, err := readHead(r)
	if err == nil {
		err = checkHead(head)
	}
	if err != nil {
		return nil, nil, headFailure(err)
	}
	rest := bufio.NewReader(io.MultiReader(bytes.NewReader(head), r))
	req, err := http.ReadRequest(rest)
	if err != nil {
		return nil, nil, malformed("the request is malformed", "Send it as HTTP/1.1.")
	}
	return req, rest, nil
}

var (
	errHeadSize = errors.New("the head of the request has more than 16 KiB")
	errLineEnd  = errors.New("a line of the request's head does not end with CR LF")
)

// readHead reads up to and including the empty line.
func readHead(r *bufio.Reader) ([]byte, error) {
	var head []byte
	for {
		line, err := r.ReadSlice('\n')
		head = append(head, line...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull) || len(head) > maxHead:
			return nil, errHeadSize
		case err != nil && len(head) > 0 && errors.Is(err, io.EOF):
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		case !bytes.HasSuffix(line, []byte("\r\n")):
			return nil, errLineEnd
		case len(line) == 2:
			return head, nil
		}
	}
}

// checkHead refuses what servers read in different ways, so that no server sees another
// request than this proxy. It leaves the rest to [http.ReadRequest].
func checkHead(head []byte) error {
	lines := strings.Split(strings.TrimSuffix(string(head), "\r\n\r\n"), "\r\n")
	count := map[string]int{}
	for i, line := range lines {
		if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			return errors.New("the request's head has a control character")
		}
		if i == 0 {
			continue
		}
		name, value, found := strings.Cut(line, ":")
		if !found || name == "" || strings.Trim(name, tokenCharacters) != "" {
			return errors.New("a header has no name, a space in its name, or is continued on the next line")
		}
		name = strings.ToLower(name)
		if count[name]++; name == "transfer-encoding" && !strings.EqualFold(strings.Trim(value, " \t"), "chunked") {
			return errors.New("the only Transfer-Encoding is chunked")
		}
	}
	for _, name := range []string{"host", "content-length", "transfer-encoding"} {
		if count[name] > 1 {
			return errors.New("the header " + name + " is there twice")
		}
	}
	if count["content-length"] > 0 && count["transfer-encoding"] > 0 {
		return errors.New("the request has both Content-Length and Transfer-Encoding")
	}
	return nil
}

// tokenCharacters are those of a header's name. Source: RFC 9110, section 5.6.2.
const tokenCharacters = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// headFailure returns the answer to a head that was not read; nil if nobody waits for one.
func headFailure(err error) *failure {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &failure{http.StatusRequestTimeout, replyFailed, "the head of the request did not arrive within 30 seconds", "Send it at once."}
	case errors.Is(err, errHeadSize):
		return &failure{http.StatusRequestHeaderFieldsTooLarge, replyFailed, err.Error(), "Send fewer or shorter headers, such as cookies."}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.ErrClosedPipe):
		return nil
	}
	return malformed("the request is malformed: "+err.Error(), "Send it as HTTP/1.1.")
}
