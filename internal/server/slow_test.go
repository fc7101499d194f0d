package server_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// A client that stops reading delays neither the session nor other clients, however
// many events there are. When it reads again it gets every persisted event, in order,
// and every idle; only other ephemeral events are missing.
func TestASlowReaderDelaysNobodyAndMissesNothingThatCounts(t *testing.T) {
	const turns = 30
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		slow, quick := p.connectUnread(), p.connect()
		quick.call("session.create", `{"sessionId":"s1","streaming":true}`)
		slow.request("session.resume", `{"sessionId":"s1"}`)
		quick.event("s1", "session.resume", 1)
		remark := fmt.Sprintf(`{"sessionId":"s1","message":%q}`, strings.Repeat("x", 256<<10))
		begin := time.Now()
		for n := range turns {
			quick.call("session.log", remark)
			quick.call("session.send", `{"sessionId":"s1","prompt":"More."}`)
			quick.event("s1", "session.idle", n+1)
		}
		if took := time.Since(begin); took != 0 {
			t.Errorf("the quick client waited %v in all, want not at all", took)
		}

		slow.listen()
		synctest.Wait()
		told, log := slow.events("s1", 0), p.stored("s1")
		if err := checkChain(told, log); err != nil {
			t.Errorf("the slow client: %v", err)
		}
		if got, want := lastPersisted(told), idOf(log[len(log)-1]); got != want {
			t.Errorf("the slow client's last persisted event is %s, want %s, the last of the log", got, want)
		}
		if idles := count(told, "session.idle"); idles != turns {
			t.Errorf("the slow client was told %d of %d idles; whoever waits for one of the others hangs", idles, turns)
		}
		if usages := count(told, "assistant.usage"); usages == turns {
			t.Errorf("the slow client was told all of %d usages; it was not slow enough for this test", usages)
		}
	}, modeltest.Reply{Text: "There you are.", Piece: 1, Repeat: true})
}

// While a client does not read, its requests are carried out, and the answers wait.
func TestRequestsOfASlowReaderAreCarriedOut(t *testing.T) {
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		slow, other := p.connectUnread(), p.connect()
		other.call("session.create", `{"sessionId":"s1"}`)
		slow.request("session.resume", `{"sessionId":"s1"}`)
		synctest.Wait() // its answer waits to be read
		last := ""
		for n := range 100 {
			last = slow.request("session.log", fmt.Sprintf(`{"sessionId":"s1","message":"%d"}`, n))
		}
		other.event("s1", "session.info", 100)
		slow.listen()
		slow.answer(last)
	})
}

// Two sessions share a connection that nobody reads. Both continue, and their other
// clients get events at once. Later the unread client gets the same events once, with
// the pieces of each answer joined and no text lost.
func TestAnUnreadConnectionHoldsUpNeitherOfItsSessions(t *testing.T) {
	const answer = "There is a lot to be said about this, piece by piece, and nobody listens to any of it."
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		slow, quick := p.connectUnread(), p.connect()
		sessions := []string{"s1", "s2"}
		for _, id := range sessions {
			quick.call("session.create", fmt.Sprintf(`{"sessionId":%q,"streaming":true}`, id))
			slow.request("session.resume", fmt.Sprintf(`{"sessionId":%q}`, id))
			quick.event(id, "session.resume", 1)
		}
		fill := fmt.Sprintf(`"message":%q`, strings.Repeat("x", 600<<10)) // the connection's queue
		for _, id := range sessions {
			quick.call("session.log", fmt.Sprintf(`{"sessionId":%q,%s}`, id, fill))
			quick.call("session.log", fmt.Sprintf(`{"sessionId":%q,%s}`, id, fill))
		}
		begin := time.Now()
		for _, id := range sessions {
			quick.call("session.send", fmt.Sprintf(`{"sessionId":%q,"prompt":"Well?"}`, id))
			quick.event(id, "session.idle", 1)
		}
		if took := time.Since(begin); took != 0 {
			t.Errorf("the quick client waited %v in all, want not at all", took)
		}

		slow.listen()
		synctest.Wait()
		for _, id := range sessions {
			told, log := slow.events(id, 0), p.stored(id)
			if err := checkChain(told, log); err != nil {
				t.Errorf("session %s: %v", id, err)
			}
			if got, want := lastPersisted(told), idOf(log[len(log)-1]); got != want {
				t.Errorf("session %s: the last persisted event told is %s, want %s", id, got, want)
			}
			if said := text(told); said != answer {
				t.Errorf("session %s: the pieces are %q", id, said)
			}
			if n := count(told, "assistant.message_delta"); n > 3 {
				t.Errorf("session %s: the %d pieces of the answer came in %d, want them joined", id, len(answer), n)
			}
		}
	}, modeltest.Reply{Text: answer, Piece: 1, Repeat: true})
}

// The memory for a client that never reads is bounded.
func TestWhatWaitsForAnUnreadClientIsBounded(t *testing.T) {
	const told, bound = 32 << 20, 16 << 20
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		slow, quick := p.connectUnread(), p.connect()
		quick.call("session.create", `{"sessionId":"s1"}`)
		slow.request("session.resume", `{"sessionId":"s1"}`)
		quick.event("s1", "session.resume", 1)
		remark := fmt.Sprintf(`{"sessionId":"s1","ephemeral":true,"message":%q}`, strings.Repeat("x", 1<<20))
		quick.forget()
		before := heap()
		for range told >> 20 {
			quick.call("session.log", remark)
			quick.forget()
		}
		synctest.Wait()
		if grown := heap() - before; grown > bound {
			t.Errorf("of %d MiB told, %d MiB are kept for a client that reads nothing, want at most %d", told>>20, grown>>20, bound>>20)
		}
	})
}

// A client that requests the whole log again and again without reading makes the server
// hold few copies of it. When it reads, it gets all answers.
func TestLargeAnswersWaitForEachOther(t *testing.T) {
	const size, asked, bound = 2 << 20, 24, 24 << 20
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		slow, quick := p.connectUnread(), p.connect()
		quick.call("session.create", `{"sessionId":"s1"}`)
		quick.call("session.log", fmt.Sprintf(`{"sessionId":"s1","message":%q}`, strings.Repeat("x", size)))
		slow.request("session.resume", `{"sessionId":"s1"}`)
		quick.event("s1", "session.resume", 1)
		before := heap()
		var ids []string
		for n := range asked {
			ids = append(ids, slow.request([]string{"session.getMessages", "session.eventLog.read"}[n%2], `{"sessionId":"s1"}`))
		}
		synctest.Wait()
		if grown := heap() - before; grown > bound {
			t.Errorf("%d answers of %d MiB keep %d MiB, want at most %d", asked, size>>20, grown>>20, bound>>20)
		}
		slow.listen()
		for _, id := range ids {
			if m := slow.answer(id); len(m.result) < size {
				t.Fatalf("the answer to %s is %.200s", id, m.raw)
			}
		}
	})
}

// Waiting reads are bounded, so that they never cause other requests to be refused.
func TestReadsThatWaitAreBounded(t *testing.T) {
	const most = 512
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		c := p.connect()
		c.call("session.create", `{"sessionId":"s1"}`)
		var end struct{ Cursor string }
		if err := json.Unmarshal(c.call("session.eventLog.tail", `{"sessionId":"s1"}`), &end); err != nil {
			t.Fatal(err)
		}
		for range most {
			c.request("session.eventLog.read", fmt.Sprintf(`{"sessionId":"s1","cursor":%q,"waitMs":30000}`, end.Cursor))
		}
		synctest.Wait()
		answered := len(c.messages())
		if m := c.answer(c.request("session.eventLog.read", fmt.Sprintf(`{"sessionId":"s1","cursor":%q,"waitMs":1}`, end.Cursor))); m.failure.Code != jsonrpc.Overloaded {
			t.Errorf("one read more is answered with %s, want that there are too many", m.raw)
		}
		c.call("ping", "{}")
		c.call("session.log", `{"sessionId":"s1","message":"here it is"}`)
		synctest.Wait()
		woken := 0
		for _, m := range c.messages()[answered:] {
			if strings.Contains(string(m.result), "here it is") {
				woken++
			}
		}
		if woken != most {
			t.Errorf("%d reads are woken, want %d", woken, most)
		}
	})
}

// heap returns the memory in use, in bytes.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// text returns the joined pieces of answers.
func text(told []event) (out string) {
	for _, e := range told {
		if e.Type == "assistant.message_delta" {
			var d struct{ DeltaContent string }
			_ = json.Unmarshal(e.Data, &d) // "" is missed in the comparison
			out += d.DeltaContent
		}
	}
	return out
}

func lastPersisted(told []event) (id string) {
	for _, e := range told {
		if !e.Ephemeral {
			id = e.ID
		}
	}
	return id
}

func count(told []event, kind string) (n int) {
	for _, e := range told {
		if e.Type == kind {
			n++
		}
	}
	return n
}
