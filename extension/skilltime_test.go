package extension_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/extension"
)

// A request without a body is complete immediately, and its deadline ends nothing.
func TestASkillWithoutABodyTakesItsTime(t *testing.T) {
	h := extension.NewSkillHandler(func(ctx context.Context, _ json.RawMessage, _ http.Header) (string, error) {
		time.Sleep(time.Minute)
		return "done", ctx.Err()
	}, quiet)
	served(t, h, func(t *testing.T, dial func() net.Conn) {
		if status, body := exchange(t, dial(), request("", 0)); status != 200 || body != "done" {
			t.Errorf("answered %d %q", status, body)
		}
	})
}

// A skill's answer that the client does not read holds the request no longer than an
// agent's answer does.
func TestNobodyReadsWhatASkillSays(t *testing.T) {
	skill := extension.NewSkillHandler(func(context.Context, json.RawMessage, http.Header) (string, error) {
		return strings.Repeat("x", 1<<20), nil
	}, quiet)
	var took time.Duration
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		skill.ServeHTTP(w, r)
		took = time.Since(start)
	})
	served(t, h, func(t *testing.T, dial func() net.Conn) {
		conn := dial()
		if _, err := io.WriteString(conn, request("{}", 2)); err != nil {
			t.Fatal(err)
		}
		if _, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		_ = conn.Close()
		synctest.Wait()
	})
	if took != 30*time.Second {
		t.Errorf("the skill was at work for %v", took)
	}
}

// A client that reads slowly gets the whole answer of a skill.
func TestASkillIsReadSlowly(t *testing.T) {
	const size = 1 << 20
	h := extension.NewSkillHandler(func(context.Context, json.RawMessage, http.Header) (string, error) {
		return strings.Repeat("x", size), nil
	}, quiet)
	served(t, h, func(t *testing.T, dial func() net.Conn) {
		conn := dial()
		if _, err := io.WriteString(conn, request("{}", 2)); err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		read := int64(0)
		for read < size {
			time.Sleep(20 * time.Second)
			n, err := io.CopyN(io.Discard, response.Body, 128<<10)
			if read += n; err != nil {
				t.Fatalf("after %d bytes: %v", read, err)
			}
		}
	})
}
