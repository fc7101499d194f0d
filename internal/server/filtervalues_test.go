package server_test

import (
	"fmt"
	"strings"
	"testing"
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
		refused(values("c", 2, 0), "this connection would have added 2001 filter values with 20010 bytes; at most 2000 with 1048576 bytes are kept for one connection, and none")
		c.call(method, values("c", 1, 0))
		for i := range 4 {
			c = p.connect()
			c.call(method, values(fmt.Sprint("x", i), 1000, 0))
			c.call(method, values(fmt.Sprint("y", i), 1000, 0))
		}
		c = p.connect()
		refused(values("z", 1, 0), "the clients of this process would have added 10001 filter values")
		c.call("ping", `{}`)
		c.call(method, values("y3", 1000, 0)) // known
	})
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		c := p.connect()
		c.call("secrets.addFilterValues", values("large", 64, 16<<10))
		if a := c.answer(c.request("secrets.addFilterValues", values("other", 1, 0))); !strings.Contains(a.failure.Message, "would have added 65 filter values") {
			t.Errorf("more than 1 MiB: %q", a.failure.Message)
		}
	})
}
