package config

import (
	"strings"
	"testing"
)

// Package net/http ignores the address of a proxy that it cannot read, and calls go past it.
func TestAddressesOfProxies(t *testing.T) {
	for _, good := range []string{"http://proxy:3128", "https://me:secret@proxy", "socks5://127.0.0.1:1080", "socks5h://proxy", "proxy:3128", "proxy"} {
		load(t, Flags{}, env{"HTTPS_PROXY": good, "http_proxy": good})
	}
	for _, bad := range []string{"http://me:secret@x\x7f", "ftp://me:secret@x", "http://", "http://me:secret@:3128", "socks4://secret"} {
		for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"} {
			_, err := Load(Flags{}, env{name: bad}.get, "/home/ann")
			if err == nil || !strings.Contains(err.Error(), "env "+name+": this is not the address of a proxy") || strings.Contains(err.Error(), "secret") {
				t.Errorf("%s=%q: %v", name, bad, err)
			}
		}
	}
}

func TestToolSearch(t *testing.T) {
	for value, want := range map[string]struct {
		n      int64
		chosen bool
	}{"": {0, false}, "auto": {0, false}, "off": {0, false}, "50": {50, true}, "0": {0, true}} {
		n, chosen, err := load(t, Flags{}, env{"SIDESTICK_TOOL_SEARCH": value}).DeferAbove()
		if n != want.n || chosen != want.chosen || err != nil {
			t.Errorf("%q: %d, %v, %v; want %d, %v", value, n, chosen, err, want.n, want.chosen)
		}
	}
	for _, value := range []string{"many", "-1"} {
		_, err := Load(Flags{}, func(name string) string { return map[string]string{"SIDESTICK_TOOL_SEARCH": value}[name] }, "/")
		if err == nil || !strings.Contains(err.Error(), value) {
			t.Errorf("%q: %v, want it refused", value, err)
		}
	}
}

func TestToolSet(t *testing.T) {
	for _, tc := range []struct{ flag, variable, want, from string }{
		{"", "", "auto", Default},
		{"", "small", "small", "env SIDESTICK_TOOL_SET"},
		{"full", "small", "full", "flag --tool-set"},
	} {
		got := load(t, Flags{ToolSet: tc.flag}, env{"SIDESTICK_TOOL_SET": tc.variable}).ToolSet
		if got.Value != tc.want || got.From != tc.from {
			t.Errorf("%+v: %+v", tc, got)
		}
	}
	if _, err := Load(Flags{ToolSet: "tiny"}, func(string) string { return "" }, "/"); err == nil || !strings.Contains(err.Error(), "tiny") {
		t.Errorf("a set that does not exist: %v", err)
	}
}
