package jsonrpc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/quota"
)

// reader reads the frames of a stream whose bodies have at most max bytes.
func reader(framing Framing, r io.Reader, max int) (next func() (Frame, error), b *Bounds) {
	in, b := bufio.NewReaderSize(r, 16<<10), &Bounds{Limit: func() int { return max }}
	return func() (Frame, error) { return framing.Read(in, b) }, b
}

// readAll returns the bodies of a stream with their sizes, and the error after the last.
func readAll(framing Framing, r io.Reader, max int) (bodies []string, err error) {
	next, b := reader(framing, r, max)
	for {
		f, err := next()
		if err != nil {
			return bodies, err
		}
		bodies = append(bodies, fmt.Sprintf("%d of %d: %s", len(f.Body), f.Size, f.Body))
		b.Free()
	}
}

func TestABufferFollowsWhatArrives(t *testing.T) {
	whole := strings.Repeat("x", 1<<20)
	bodies, err := readAll(Headers(), strings.NewReader("Content-Length: 1048576\r\n\r\n"+whole), 1<<20)
	if want := []string{"1048576 of 1048576: " + whole}; err != io.EOF || cmp.Diff(want, bodies) != "" {
		t.Errorf("got %d bodies, %v, want the whole one", len(bodies), err)
	}
	claim := "Content-Length: 1048576\r\n\r\n" + whole[:100]
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _ = readAll(Headers(), strings.NewReader(claim), 1<<20)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 2*announced {
		t.Errorf("a claim of 1 MiB with 100 bytes behind it takes %d bytes", took)
	}
}

// FuzzHeaders checks the framing with headers as [checkFraming] does.
func FuzzHeaders(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "Content-Length: 2\r\n\r\n{}Content-Length: 1\n\n1", "content-length:3\r\nX: y\r\n\r\n{",
		"Content-Length: 5000\r\n\r\n" + strings.Repeat("{", 5000) + "Content-Length: 2\r\n\r\n{}",
		"Content-Length: 0\r\n\r\n", "Content-Length: 99999999\r\n\r\n", "\r\n\r\n", ":\n:\n:\n", "Content-Length: 1\nContent-Length: 1\n\n1",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		checkFraming(t, Headers(), stream, func(body string) string { return body })
	})
}

// FuzzLines checks the framing with lines as [checkFraming] does.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "{}\n{}\r\n", "\n \t\r\n1\n", "{\"a\":\n1}\n", strings.Repeat("{", 1001) + "\n{}\n", strings.Repeat(" ", 20_000) + "\n", "\r\r\n\x00\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		checkFraming(t, Lines(), stream, func(body string) string {
			return strings.TrimLeft(strings.NewReplacer("\r", " ", "\n", " ").Replace(body), " \t")
		})
	})
}

// checkFraming checks that the stream ends without a panic and without a body beyond the
// limit, in the same way however it is cut into reads, and that frames that we write
// can be read again: as the body that read returns.
func checkFraming(t *testing.T, framing Framing, stream []byte, read func(body string) string) {
	const max = 1000
	bodies, err := readAll(framing, bytes.NewReader(stream), max)
	again, err2 := readAll(framing, iotest.OneByteReader(bytes.NewReader(stream)), max)
	if diff := cmp.Diff(bodies, again); diff != "" || err.Error() != err2.Error() {
		t.Errorf("byte by byte it reads otherwise (%v, %v):\n%s", err, err2, diff)
	}
	if kind := fault.KindOf(err); err != io.EOF && kind != fault.Invalid && kind != fault.Unavailable {
		t.Errorf("stream ends with %v, of kind %v", err, kind)
	}
	for _, body := range bodies {
		if len(body) > max+100 {
			t.Errorf("a body of %d bytes", len(body))
		}
	}
	if len(stream) == 0 || len(stream) > max-1 {
		return
	}
	var line bytes.Buffer
	q := newQueue(&line, Options{Framing: framing, MaxQueue: 1}, func(error) {})
	_ = q.send(context.Background(), nil, stream[:1], stream[1:])
	_ = q.send(context.Background(), nil, stream)
	body := read(string(stream) + "}")
	want := fmt.Sprintf("%d of %[1]d: %s", len(body), body)
	if bodies, err := readAll(framing, &line, max); err != io.EOF || cmp.Diff([]string{want, want}, bodies) != "" {
		t.Errorf("wrote %q twice, read %q, %v", want, bodies, err)
	}
}

// FuzzMembers checks that members agrees with encoding/json on valid objects, and
// yields a prefix of the members for a prefix of an object.
func FuzzMembers(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"a":1}`, ` { "a" : { "b" : "}" } , "c" : [ "]" , 1 ] } `, `{"a":"\\","b":"\"","":-1e5}`,
		`{"\u0061":true,"a":null}`, `{"a":"\\\"","b":{}}`, `[1]`, `"x"`, `{"a":{"b":{"c":[[]]}}}`,
	} {
		f.Add([]byte(seed), 5)
	}
	f.Fuzz(func(t *testing.T, body []byte, cut int) {
		got := make(map[string]json.RawMessage)
		var whole []string
		for name, value := range members(body) {
			got[string(name)] = value
			whole = append(whole, fmt.Sprintf("%s=%s", name, value))
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(body, &want); err != nil || want == nil || !utf8.Valid(body) {
			return
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("members(%q) differs from encoding/json:\n%s", body, diff)
		}
		n := 0
		for name, value := range members(body[:uint(cut)%uint(len(body))]) {
			if one := fmt.Sprintf("%s=%s", name, value); one != whole[n] && len(value) != 0 {
				t.Errorf("cut off, member %d of %q is %s, want %s", n, body, one, whole[n])
			}
			n++
		}
	})
}

func BenchmarkReadFrame(b *testing.B) {
	one := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":17,"method":"session.send","params":{"sessionId":"1c5f3ac6","prompt":%q}}`, strings.Repeat("x", 200))
	stream := bytes.NewReader(nil)
	many := bytes.Repeat(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(one), one), 100)
	next, _ := reader(Headers(), stream, 1<<20)
	b.SetBytes(int64(len(one)))
	b.ReportAllocs()
	for b.Loop() {
		if stream.Len() == 0 {
			stream.Reset(many)
		}
		f, err := next()
		if err != nil {
			b.Fatal(err)
		}
		if m, problem := parse(f.Body); problem != nil || m.method == nil {
			b.Fatal(problem)
		}
	}
}

// A large body is not copied again and again while it arrives, and counts with what is decoded of it. That of a line,
// whose length nobody announces, is copied a few times.
func TestALargeBodyIsAllocatedOnce(t *testing.T) {
	const size = 32 << 20
	whole := strings.Repeat("x", size)
	for _, tc := range []struct {
		framing Framing
		stream  string
		most    uint64
	}{
		{Headers(), fmt.Sprintf("Content-Length: %d\r\n\r\n%s", size, whole), size + 4*large},
		{Lines(), whole + "\n", 3*size + 4*large},
	} {
		memory := quota.New(1 << 30)
		next, b := reader(tc.framing, strings.NewReader(tc.stream), size)
		b.Memory = memory.Share(0)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f, err := next()
		runtime.ReadMemStats(&after)
		if err != nil || len(f.Body) != size {
			t.Fatalf("%T: %d bytes, %v", tc.framing, len(f.Body), err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > tc.most {
			t.Errorf("%T: a body of %d bytes has taken %d", tc.framing, size, took)
		}
		if counted := int(memory.Used()); counted < 2*(size-2*large) {
			t.Errorf("%T: a body of %d bytes counts as %d, want twice as much, but for its beginning", tc.framing, size, counted)
		}
		if b.Free(); memory.Used() != 0 {
			t.Errorf("%T: %d bytes are held by nobody", tc.framing, memory.Used())
		}
	}
}

func TestLines(t *testing.T) {
	const max = 8
	for _, tc := range []struct {
		name, stream string
		want         []string
		err          string
	}{
		{"nothing at all", "", nil, "EOF"},
		{"lines", "{}\n[1]\n", []string{"2 of 2: {}", "3 of 3: [1]"}, "EOF"},
		{"carriage returns and white space", " {}\t\r\n{}\r\n", []string{"2 of 2: {}", "2 of 2: {}"}, "EOF"},
		{"empty lines", "\n\r\n  \n{}\n\n", []string{"2 of 2: {}"}, "EOF"},
		{"the last line without its end", "{}\n{", []string{"2 of 2: {}", "1 of 1: {"}, "EOF"},
		{"as long as the limit", "12345678\n", []string{"8 of 8: 12345678"}, "EOF"},
		{"too long, and the next one", "123456789\n{}\n", []string{"8 of 9: 12345678", "2 of 2: {}"}, "EOF"},
		{"HTTP", "G /a HTTP/1\n{}\n", nil, "this is HTTP, and this port speaks JSON-RPC, one message on each line"},
		{"HTTP with a long address", "POST /aaaa HTTP/1.1\n\n{}\n", nil, "this is HTTP, and this port speaks JSON-RPC, one message on each line"},
		{"HTTP after a message", "{}\r\nPUT / HTTP/1.1\r\n\r\n{}", []string{"2 of 2: {}"}, "this is HTTP, and this port speaks JSON-RPC, one message on each line"},
		{"capitals that are no HTTP", "A\nAB C\n \n{}\n", []string{"1 of 1: A", "4 of 4: AB C", "2 of 2: {}"}, "EOF"},
		{"too long to be skipped", strings.Repeat("1", 16*max+1), nil, "a line of 129 is beyond 16 times the limit of 8 bytes"},
	} {
		got, err := readAll(Lines(), strings.NewReader(tc.stream), max)
		if diff := cmp.Diff(tc.want, got); diff != "" || fault.Message(err) != tc.err {
			t.Errorf("%s: %v, want %s (-want +got):\n%s", tc.name, err, tc.err, diff)
		}
	}
}

// A line for which there is no memory is skipped as it arrives, and the next one is read.
func TestALineWithoutRoomIsSkipped(t *testing.T) {
	memory := quota.New(64 << 10)
	next, b := reader(Lines(), strings.NewReader(strings.Repeat("x", 300<<10)+"\n{}\n"), 1<<20)
	b.Memory = memory.Share(0)
	f, err := next()
	if err != nil || !f.Full || f.Size != 300<<10 || len(f.Body) != headSize {
		t.Errorf("%d of %d bytes, full: %v, %v", len(f.Body), f.Size, f.Full, err)
	}
	if memory.Used() != 0 {
		t.Errorf("what was skipped holds %d bytes", memory.Used())
	}
	if f, err := next(); err != nil || string(f.Body) != "{}" {
		t.Errorf("then %q, %v", f.Body, err)
	}
}

// A frame on a line is one line, whatever white space its JSON has.
func TestAMessageIsOneLine(t *testing.T) {
	var out bytes.Buffer
	c := NewConn(Pipe(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"a"}`+"\n"+`{"jsonrpc":"2.0","id":2,"method":"b"}`), &out),
		func(context.Context, *Request) func() (any, error) {
			return func() (any, error) { return json.RawMessage("{\r\n  \"a\": \"\\n\"\n}"), nil }
		}, Options{Framing: Lines()})
	if err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := slices.Sorted(strings.Lines(out.String()))
	want := []string{`{"jsonrpc":"2.0","id":1,"result":{    "a": "\n" }}` + "\n", `{"jsonrpc":"2.0","id":2,"result":{    "a": "\n" }}` + "\n"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("written (-want +got):\n%s", diff)
	}
	var farewell bytes.Buffer
	if err := Farewell(&farewell, Lines(), errorf(Overloaded, "no room")); err != nil || farewell.String() != `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no room"}}`+"\n" {
		t.Errorf("Farewell wrote %q, %v", farewell.String(), err)
	}
}
