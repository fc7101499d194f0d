package jsonrpc

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/quota"
)

// readAll returns the bodies of a stream with their announced sizes, and the error
// after the last.
func readAll(r io.Reader, max int) (bodies []string, err error) {
	f := newFrameReader(r, func() int { return max })
	for {
		body, size, err := f.next()
		if err != nil {
			return bodies, err
		}
		bodies = append(bodies, fmt.Sprintf("%d of %d: %s", len(body), size, body))
	}
}

func TestABufferFollowsWhatArrives(t *testing.T) {
	whole := strings.Repeat("x", 1<<20)
	bodies, err := readAll(strings.NewReader("Content-Length: 1048576\r\n\r\n"+whole), 1<<20)
	if want := []string{"1048576 of 1048576: " + whole}; err != io.EOF || cmp.Diff(want, bodies) != "" {
		t.Errorf("got %d bodies, %v, want the whole one", len(bodies), err)
	}
	claim := "Content-Length: 1048576\r\n\r\n" + whole[:100]
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _ = readAll(strings.NewReader(claim), 1<<20)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 2*announced {
		t.Errorf("a claim of 1 MiB with 100 bytes behind it takes %d bytes", took)
	}
}

// FuzzFrame checks that any stream ends without a panic and without a body beyond the
// limit, in the same way however it is cut into reads, and that frames that we write
// can be read again.
func FuzzFrame(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "Content-Length: 2\r\n\r\n{}Content-Length: 1\n\n1", "content-length:3\r\nX: y\r\n\r\n{",
		"Content-Length: 5000\r\n\r\n" + strings.Repeat("{", 5000) + "Content-Length: 2\r\n\r\n{}",
		"Content-Length: 0\r\n\r\n", "Content-Length: 99999999\r\n\r\n", "\r\n\r\n", ":\n:\n:\n", "Content-Length: 1\nContent-Length: 1\n\n1",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		const max = 1000
		bodies, err := readAll(bytes.NewReader(stream), max)
		again, err2 := readAll(iotest.OneByteReader(bytes.NewReader(stream)), max)
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
		q := newQueue(&line, 1, nil, func(error) {})
		_ = q.send(context.Background(), nil, stream[:1], stream[1:])
		_ = q.send(context.Background(), nil, stream)
		want := fmt.Sprintf("%d of %[1]d: %s}", len(stream)+1, stream)
		if bodies, err := readAll(&line, max); err != io.EOF || cmp.Diff([]string{want, want}, bodies) != "" {
			t.Errorf("wrote %q twice, read %q, %v", want, bodies, err)
		}
	})
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
	f := newFrameReader(stream, func() int { return 1 << 20 })
	b.SetBytes(int64(len(one)))
	b.ReportAllocs()
	for b.Loop() {
		if stream.Len() == 0 {
			stream.Reset(many)
		}
		body, _, err := f.next()
		if err != nil {
			b.Fatal(err)
		}
		if m, problem := parse(body); problem != nil || m.method == nil {
			b.Fatal(problem)
		}
	}
}

// A large body is not copied again and again while it arrives, and counts with what is decoded of it.
func TestALargeBodyIsAllocatedOnce(t *testing.T) {
	const size = 32 << 20
	memory := quota.New(1 << 30)
	f := newFrameReader(strings.NewReader(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", size, strings.Repeat("x", size))), func() int { return size })
	f.memory = memory.Share(0)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	body, _, err := f.next()
	runtime.ReadMemStats(&after)
	if err != nil || len(body) != size {
		t.Fatalf("next = %d bytes, %v", len(body), err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > size+4*large {
		t.Errorf("a body of %d bytes has taken %d", size, took)
	}
	if counted := int(memory.Used()); counted < 2*(size-large) {
		t.Errorf("a body of %d bytes counts as %d, want twice as much, but for its beginning", size, counted)
	}
	if f.free(); memory.Used() != 0 {
		t.Errorf("%d bytes are held by nobody", memory.Used())
	}
}
