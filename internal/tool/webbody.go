package tool

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// maxBody bounds what is read of an answer, in bytes, unpacked.
const maxBody = 10 << 20

// fetched is an answer of the web.
type fetched struct {
	from    *url.URL
	status  int
	kind    string // "text/html"
	charset string // as the header says, lower case
	body    []byte
	cut     bool // there is more than maxBody
}

// read reads an answer, if it is text.
func read(resp *http.Response, from *url.URL) (fetched, error) {
	kind, params, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	p := fetched{from: from, status: resp.StatusCode, kind: kind, charset: strings.ToLower(params["charset"])}
	if err != nil && kind == "" || textual(kind) {
		p.body, err = io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
		if err != nil {
			return p, fmt.Errorf("the answer broke off after %d bytes: %w", len(p.body), err)
		}
		if p.cut = len(p.body) > maxBody; p.cut {
			p.body = p.body[:maxBody]
		}
		if kind == "" {
			p.kind, _, _ = mime.ParseMediaType(http.DetectContentType(p.body))
		}
	}
	if !textual(p.kind) {
		return p, fmt.Errorf("it is %s, %s, and web_fetch reads text only. A shell command such as curl can save it to a file", p.kind, length(resp.ContentLength, p.body))
	}
	return p, nil
}

func length(told int64, body []byte) string {
	switch {
	case told >= 0:
		return fmt.Sprintf("%d bytes", told)
	case body != nil:
		return fmt.Sprintf("%d bytes or more", len(body))
	}
	return "of unknown size"
}

// textual reports whether a media type is text, by its name.
func textual(kind string) bool {
	switch kind {
	case "application/json", "application/xml", "application/javascript", "application/ecmascript", "application/yaml", "application/x-yaml",
		"application/toml", "application/x-ndjson", "application/jsonl", "application/x-sh", "application/sql", "application/graphql", "image/svg+xml":
		return true
	}
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml") || strings.HasSuffix(kind, "+yaml")
}

// text is the answer as the model reads it.
func (p fetched) text(raw bool) (string, error) {
	html := p.kind == "text/html" || p.kind == "application/xhtml+xml"
	charset := p.charset
	if charset == "" && html {
		charset = declared(p.body)
	}
	s, err := decoded(p.body, charset)
	switch {
	case err != nil:
		return "", fmt.Errorf("%s: %w", p.from, err)
	case html && !raw:
		return markdown(s, p.from), nil
	}
	return s, nil
}

var charsetInMeta = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)<meta[^>]{1,200}charset\s*=\s*["']?([a-z0-9_:.-]+)`)
}}

// declared finds the character set that a page declares at its beginning.
func declared(body []byte) string {
	if m := charsetInMeta.Get().FindSubmatch(body[:min(len(body), 2048)]); m != nil {
		return strings.ToLower(string(m[1]))
	}
	return ""
}

// decoded turns bytes into text. A byte order mark counts more than a declared character
// set.
func decoded(body []byte, charset string) (string, error) {
	switch {
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		body, charset = body[3:], "utf-8"
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		body, charset = body[2:], "utf-16le"
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		body, charset = body[2:], "utf-16be"
	}
	switch charset {
	case "utf-16", "utf-16le":
		return wide(body, 0), nil
	case "utf-16be":
		return wide(body, 1), nil
	case "iso-8859-1", "latin1", "windows-1252", "cp1252", "iso-8859-15":
		return western(body), nil
	case "", "utf-8", "utf8", "us-ascii", "ascii":
		return strings.ToValidUTF8(string(body), "\ufffd"), nil
	}
	if utf8.Valid(body) {
		return string(body), nil
	}
	return "", errors.New("its characters are coded in " + charset + ", which web_fetch does not know. A shell command such as curl with iconv can read it")
}

// wide decodes UTF-16; low is where the lower byte of each pair is.
func wide(body []byte, low int) string {
	units := make([]uint16, len(body)/2)
	for i := range units {
		units[i] = uint16(body[2*i+low]) | uint16(body[2*i+1-low])<<8
	}
	return string(utf16.Decode(units))
}

// western decodes Windows-1252, which pages mean when they declare ISO 8859-1.
// Source: the WHATWG Encoding standard, index windows-1252.
func western(body []byte) string {
	special := []rune("€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ")
	var b strings.Builder
	for _, c := range body {
		if c >= 0x80 && c < 0xa0 {
			b.WriteRune(special[c-0x80])
			continue
		}
		b.WriteRune(rune(c))
	}
	return b.String()
}
