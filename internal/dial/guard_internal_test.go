package dial

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

func TestPublic(t *testing.T) {
	for want, addrs := range map[bool]string{
		true: "1.1.1.1 93.184.216.34 172.15.0.1 172.32.0.1 100.63.255.255 100.128.0.1 11.0.0.1 192.0.1.1 198.20.0.1 ::ffff:1.1.1.1 2606:4700::1111 2001:4860:4860::8888 64:ff9b::101:101 2002:101:101::1",
		false: "0.0.0.0 0.1.2.3 127.0.0.1 127.255.255.254 10.0.0.1 172.16.0.1 172.31.255.255 192.168.0.1 169.254.169.254 100.64.0.1 100.100.100.200 " +
			"100.127.255.255 192.0.0.192 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255 168.63.129.16 " +
			":: ::1 ::ffff:0:127.0.0.1 4000::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::7f00:1 fe80::1 fe80::1%eth0 fc00::1 fd00:ec2::254 fec0::1 ff02::1 " +
			"64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::1 2002:7f00:1::1 2002:a00:1::1 2001::1 2001:db8::1 100::1 3fff::1",
	} {
		for addr := range strings.FieldsSeq(addrs) {
			if got := public(netip.MustParseAddr(addr)); got != want {
				t.Errorf("%s is public: %v, want %v", addr, got, want)
			}
		}
	}
}

// A name that stands for an address of this machine is refused when it is dialed.
func TestGuardChecksWhatIsDialed(t *testing.T) {
	asked := false
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer s.Close()
	req := httptest.NewRequest(http.MethodGet, s.URL, nil)
	_, err := New(Options{}).direct.RoundTrip(req)
	if err == nil || !strings.Contains(err.Error(), "127.0.0.1 is an address of this machine") || asked {
		t.Errorf("asked: %v, %v", asked, err)
	}
	resp, err := New(Options{Private: true}).direct.RoundTrip(req)
	if err != nil || !asked {
		t.Fatal(err)
	}
	resp.Body.Close()
}

func TestSameHost(t *testing.T) {
	for _, tc := range []struct {
		from, to string
		want     bool
	}{
		{"https://a.com/x", "https://A.com/y", true},
		{"http://a.com/", "https://a.com/", true},
		{"http://a.com:80/", "https://a.com:443/", true},
		{"http://a.com:8080/", "http://a.com:8080/", true},
		{"http://a.com:8080/", "https://a.com:8080/", false},
		{"http://a.com/", "http://a.com:8080/", false},
		{"http://a.com/", "https://a.com:80/", false},
		{"https://a.com/", "https://www.a.com/", false},
		{"https://a.com/", "https://a.com.evil.com/", false},
	} {
		from, _ := url.Parse(tc.from)
		to, _ := url.Parse(tc.to)
		if got := SameHost(from, to); got != tc.want {
			t.Errorf("%s and %s are the same host: %v, want %v", tc.from, tc.to, got, tc.want)
		}
	}
}

// A name that is not ASCII is mapped to ASCII on the way to a proxy, including its digits.
func TestGuardSendsNoOtherNameToAProxy(t *testing.T) {
	asked := ""
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Host
		w.WriteHeader(http.StatusBadGateway)
	}))
	defer proxy.Close()
	at, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	via := func(*http.Request) (*url.URL, error) { return at, nil }
	for _, host := range []string{"１６９.２５４.１６９.２５４", "169.254.169.25④", "ⓛocalhost", "münchen.example"} {
		asked = ""
		_, err := New(Options{Proxy: via}).RoundTrip(httptest.NewRequest(http.MethodGet, "https://"+host+"/", nil))
		if err == nil || !strings.Contains(err.Error(), "is not ASCII") || asked != "" {
			t.Errorf("%s: the proxy is asked for %q, %v", host, asked, err)
		}
	}
	_, err = New(Options{Proxy: via}).RoundTrip(httptest.NewRequest(http.MethodGet, "https://xn--mnchen-3ya.example/", nil))
	if err == nil || asked != "xn--mnchen-3ya.example:443" {
		t.Errorf("the proxy is asked for %q, %v", asked, err)
	}
}
