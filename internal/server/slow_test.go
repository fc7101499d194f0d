package server_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/model/modeltest"
)

// A client that stops reading delays neither the session nor the other clients,
// however much there is to tell. When it reads again it gets every persisted event,
// in order, and every idle; only of the other ephemeral ones are some gone.
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

// While nobody reads its connection, a client's requests are carried out all the
// same, and the answers wait for it.
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
