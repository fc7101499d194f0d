package sse_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sse"
)

func TestLines(t *testing.T) {
	for _, tc := range []struct {
		name, stream string
		want         []string // number, offset, text, end
	}{
		{"nothing", "", nil},
		{"the last has no end", "a\nb", []string{`1 0 "a" '\n'`, `2 2 "b" '\x00'`}},
		{"every line end", "a\r\nb\rc\n\r\n", []string{`1 0 "a" '\r'`, `2 3 "b" '\r'`, `3 5 "c" '\n'`, `4 7 "" '\r'`}},
		{"an end split at the last byte", "a\r\n", []string{`1 0 "a" '\r'`}},
		{"a byte order mark", "\uFEFFa\n\uFEFFb", []string{`1 0 "a" '\n'`, `2 5 "\ufeffb" '\x00'`}},
		{"nothing but a mark", "\uFEFF", []string{`1 0 "" '\x00'`}},
	} {
		for _, cut := range []func(io.Reader) io.Reader{
			func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.DataErrReader,
		} {
			l := sse.NewLines(cut(strings.NewReader(tc.stream)), 0)
			var got []string
			line, err := l.Next()
			for ; err == nil; line, err = l.Next() {
				n, at := l.Position()
				got = append(got, fmt.Sprintf("%d %d %+q %q", n, at, line, l.End()))
			}
			if d := cmp.Diff(tc.want, got); d != "" || err != io.EOF {
				t.Errorf("%s: %v\n%s", tc.name, err, d)
			}
			if again, err := l.Next(); err != io.EOF {
				t.Errorf("%s: after the end %q, %v", tc.name, again, err)
			}
		}
	}
}

func TestLinesAreBounded(t *testing.T) {
	for _, stream := range []string{"1234\n12345\n", "1234\n12345", "1234\n" + strings.Repeat("x", 1<<20)} {
		l := sse.NewLines(strings.NewReader(stream), 4)
		if line, err := l.Next(); string(line) != "1234" || err != nil {
			t.Errorf("the first line of %.20q = %q, %v", stream, line, err)
		}
		if line, err := l.Next(); fault.KindOf(err) != fault.Invalid {
			t.Errorf("the second line of %.20q = %q, %v, want an invalid", stream, line, err)
		}
	}
	boom := errors.New("boom")
	l := sse.NewLines(io.MultiReader(strings.NewReader("cut o"), iotest.ErrReader(boom)), 0)
	if line, err := l.Next(); !errors.Is(err, boom) || fault.KindOf(err) != fault.Unavailable {
		t.Errorf("a stream that breaks gives %q, %v", line, err)
	}
}

func TestField(t *testing.T) {
	for line, want := range map[string][2]string{
		"data: a": {"data", "a"}, "data:a: b": {"data", "a: b"}, "data:  a": {"data", " a"}, "data": {"data", ""}, ": a": {"", "a"},
	} {
		if name, value := sse.Field([]byte(line)); string(name) != want[0] || string(value) != want[1] {
			t.Errorf("Field(%q) = %q, %q", line, name, value)
		}
	}
}
