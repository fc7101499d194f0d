package server_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/server"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
)

// values are the parameters of one call with so many values.
func values(prefix string, n, size int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("%q", prefix+fmt.Sprintf("-%08d", i)+strings.Repeat("x", max(0, size-9-len(prefix))))
	}
	return `{"values":[` + strings.Join(all, ",") + `]}`
}

// TestFilterValuesAreBounded: a connection, and all of them, can add so many values and not more;
// what is refused is refused by name and whole, and others go on.
func TestFilterValuesAreBounded(t *testing.T) {
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		const method = "secrets.addFilterValues"
		c := p.connect()
		refused := func(params, want string) {
			t.Helper()
			if a := c.answer(c.request(method, params)); a.failure.Code == 0 || !strings.Contains(a.failure.Message, want) {
				t.Errorf("the answer: %d %q, want %q", a.failure.Code, a.failure.Message, want)
			}
		}
		refused(values("one", 1, 16<<10+1), "value 0 has 16385 bytes, want 16384 or fewer")
		c.call(method, values("a", 1000, 0))
		c.call(method, values("a", 1000, 0)) // known, so they cost nothing
		c.call(method, values("b", 999, 0))
		refused(values("c", 2, 0), "this connection would have added too many filter values; at most 2000 with 1048576 bytes are kept for one connection, and none")
		c.call(method, values("c", 1, 0))
		for i := range 4 {
			c = p.connect()
			c.call(method, values(fmt.Sprint("x", i), 1000, 0))
			c.call(method, values(fmt.Sprint("y", i), 1000, 0))
		}
		c.call(method, values("y3", 1000, 0)) // known
		c = p.connect()
		refused(values("z", 1, 0), "the clients that are connected would have added too many filter values; at most 10000")
		refused(values("y3", 1, 0), "too many filter values") // the same, so that nobody learns what others have added
		c.call("ping", `{}`)
	})
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		c := p.connect()
		c.call("secrets.addFilterValues", values("large", 64, 16<<10))
		if a := c.answer(c.request("secrets.addFilterValues", values("other", 1, 0))); !strings.Contains(a.failure.Message, "would have added too many filter values") {
			t.Errorf("more than 1 MiB: %q", a.failure.Message)
		}
	})
}

// TestFilterValuesOfClientsThatHaveGoneMakeRoom: clients that come and go cannot use up the filter values of
// others. Values stay hidden when their client has gone, until later ones need their room; those of clients that
// are connected, and those that the process knows itself, stay in any case.
func TestFilterValuesOfClientsThatHaveGoneMakeRoom(t *testing.T) {
	var secrets *obs.Redactor
	known := setup{Adjust: func(_ *registry.Options, o *server.Home) {
		secrets = &obs.Redactor{}
		secrets.Add("old0-00000001")
		o.Secrets = secrets
	}}
	inBubble(t, known, func(t *testing.T, p *process) {
		const method = "secrets.addFilterValues"
		hidden := func(value string, want bool) {
			t.Helper()
			if got := secrets.Redact("-> "+value) != "-> "+value; got != want {
				t.Errorf("%s is hidden: %v, want %v", value, got, want)
			}
		}
		stays := p.connect()
		stays.call(method, `{"values":["value-that-stays","old0-00000002"]}`)
		for i := range 5 {
			c := p.connect()
			c.call(method, values(fmt.Sprint("old", i), 1000, 0))
			c.call(method, values(fmt.Sprint("more", i), 998, 0))
			c.hangUp()
			synctest.Wait()
		}
		hidden("old0-00000000", true)
		late := p.connect()
		late.call(method, values("late", 1000, 0))
		for value, want := range map[string]bool{
			"old0-00000000": false, "old0-00000001": true, "old0-00000002": true, "old1-00000000": true,
			"value-that-stays": true, "late-00000999": true,
		} {
			hidden(value, want)
		}
	})
}
