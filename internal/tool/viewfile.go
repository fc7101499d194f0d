package tool

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// maxImage bounds an image, in bytes; providers take no larger ones.
	maxImage = 20 << 20
	// maxDocument bounds a PDF, in bytes. Anthropic takes requests of 32 MB, in which base64 adds
	// a third and other files have to fit.
	maxDocument = 10 << 20
	// maxLine bounds a line as it is shown, in bytes.
	maxLine = 2000
	// maxShown bounds the text of one view, in bytes. It is below [SpillLimit], because a
	// file that exists needs no copy to be read in parts.
	maxShown = 48 << 10
	// sniffed is how many bytes of a file are read to find out its type.
	sniffed = 8 << 10
)

// noted adds a remark to a result, in brackets on a line of its own.
func noted(format string, args ...any) string {
	return "\n[" + fmt.Sprintf(format, args...) + "]"
}

func viewFile(ctx context.Context, f io.Reader, size int64, name string, span []int) Result {
	in := bufio.NewReaderSize(f, 64<<10)
	head, err := in.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return failure("%s", about(err, name))
	}
	kind := http.DetectContentType(head)
	switch {
	case strings.HasPrefix(kind, "image/") && kind != "image/bmp" && kind != "image/x-icon":
		return viewImage(in, size, name, kind)
	case kind == TypePDF:
		return viewDocument(in, size, name)
	case bytes.IndexByte(head, 0) >= 0:
		return failure("%s is a binary file (%s, %d bytes) and cannot be shown as text. A shell command such as file, xxd or strings can look into it.", name, kind, size)
	}
	from, to, err := lineSpan(span)
	if err != nil {
		return failure("%v", err)
	}
	return viewLines(ctx, in, size, name, from, to)
}

func viewImage(in io.Reader, size int64, name, kind string) Result {
	data, err := io.ReadAll(io.LimitReader(in, maxImage+1))
	switch {
	case err != nil:
		return failure("%s", about(err, name))
	case len(data) > maxImage:
		return failure("%s is an image of %d bytes; at most %d can be viewed. Make a smaller copy with a shell command and view that.", name, max(size, int64(len(data))), maxImage)
	}
	return Result{Outcome: Success, Text: "Viewed image file successfully.", Files: []File{{Path: name, MediaType: kind, Data: data}}}
}

// viewDocument shows a document whole: models read its pages as pictures.
func viewDocument(in io.Reader, size int64, name string) Result {
	data, err := io.ReadAll(io.LimitReader(in, maxDocument+1))
	switch {
	case err != nil:
		return failure("%s", about(err, name))
	case len(data) > maxDocument:
		return failure("%s is a PDF of %d bytes; at most %d can be viewed. Read its text with a shell command such as pdftotext.", name, max(size, int64(len(data))), maxDocument)
	}
	text := "Viewed PDF file successfully. If you cannot see it, read its text with a shell command such as pdftotext."
	return Result{Outcome: Success, Text: text, Files: []File{{Path: name, MediaType: TypePDF, Data: data}}}
}

// lineSpan reads a view_range; to is -1 for the end of the file.
func lineSpan(span []int) (from, to int, err error) {
	switch {
	case span == nil:
		return 1, -1, nil
	case len(span) != 2:
		return 0, 0, fmt.Errorf("view_range has %d numbers; it takes two, the first and the last line, for example [1, 50]", len(span))
	case span[0] < 1:
		return 0, 0, fmt.Errorf("view_range %v starts before line 1; lines are counted from 1", span)
	case span[1] != -1 && span[1] < span[0]:
		return 0, 0, fmt.Errorf("view_range %v ends before it starts; use -1 for the end of the file", span)
	}
	return span[0], span[1], nil
}

// viewLines shows the lines from to to, as many as fit. It reads the whole file, but keeps
// only those, so that it can say what is left out.
func viewLines(ctx context.Context, in *bufio.Reader, size int64, name string, from, to int) Result {
	var text strings.Builder
	lines := lineReader{in: in}
	last, total := 0, 0
	for end := false; !end; {
		if ctx.Err() != nil {
			return interrupted()
		}
		line, cut, eof, err := lines.next()
		if err != nil {
			return failure("%s", about(err, name))
		}
		total++
		end = eof || to > 0 && total == to
		if total < from || text.Len() > maxShown {
			continue
		}
		if total == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		number(&text, total, line, cut)
		last = total
	}
	switch {
	case total < from:
		return failure("view_range starts at line %d, but %s has only %d lines.", from, name, total)
	case last < total:
		text.WriteString(noted("Lines %d to %d of %s are shown, %d bytes in all. To read on: view_range [%d, %d].",
			from, last, ofLines(total, to), size, last+1, last+1+last-from))
	}
	return success(text.String())
}

func ofLines(total, to int) string {
	if to > 0 {
		return "the range asked for"
	}
	return strconv.Itoa(total)
}

func number(text *strings.Builder, n int, line []byte, cut int) {
	if text.Len() > 0 {
		text.WriteByte('\n')
	}
	text.WriteString(strconv.Itoa(n))
	text.WriteString(". ")
	text.WriteString(strings.ToValidUTF8(string(line), "\ufffd"))
	if cut > 0 {
		fmt.Fprintf(text, " [%d more bytes in this line]", cut)
	}
}

// lineReader cuts a file into lines; a line that is too long is not kept whole.
type lineReader struct {
	in  *bufio.Reader
	buf []byte
}

// next returns a line without its end, how many of its bytes were cut, and
// whether it is the last. The line is valid until the next call.
func (l *lineReader) next() (line []byte, cut int, last bool, err error) {
	l.buf = l.buf[:0]
	for {
		part, err := l.in.ReadSlice('\n')
		if err == nil {
			part = part[:len(part)-1]
		}
		keep := min(len(part), 2*maxLine-len(l.buf))
		l.buf = append(l.buf, part[:keep]...)
		cut += len(part) - keep
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return nil, 0, false, err
		}
		line, more := shorten(l.buf)
		return line, cut + more, err != nil, nil
	}
}

// shorten cuts a line to maxLine bytes, between characters, and removes the carriage
// return of a Windows line end.
func shorten(line []byte) ([]byte, int) {
	line = bytes.TrimSuffix(line, []byte("\r"))
	if len(line) <= maxLine {
		return line, 0
	}
	at := maxLine
	for at > maxLine-utf8.UTFMax && !utf8.RuneStart(line[at]) {
		at--
	}
	return line[:at], len(line) - at
}
