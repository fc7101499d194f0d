package proxy

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
)

// upstream is the user's own proxy. Its address may be private, because the user chose it.
type upstream struct {
	addr  string
	tls   *tls.Config // nil: without encryption
	login string      // the value of Proxy-Authorization; "" is none
}

func newUpstream(u *url.URL) (*upstream, error) {
	port := map[string]string{"http": "80", "https": "443"}[u.Scheme]
	if port == "" || u.Hostname() == "" {
		return nil, &fault.Error{
			Op: "proxy.New", On: u.Redacted(), Kind: fault.Invalid, Err: errors.New("the upstream proxy is not supported"),
			Hint: "use an address such as http://proxy.example:3128, with http or https",
		}
	}
	if u.Port() != "" {
		port = u.Port()
	}
	up := &upstream{addr: net.JoinHostPort(u.Hostname(), port)}
	if u.Scheme == "https" {
		up.tls = &tls.Config{ServerName: u.Hostname()}
	}
	if u.User != nil {
		password, _ := u.User.Password()
		up.login = "Basic " + base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password))
	}
	return up, nil
}

func (up *upstream) authorize(h http.Header) {
	if up.login != "" {
		h.Set("Proxy-Authorization", up.login)
	}
}

// dial connects to the upstream proxy.
func (up *upstream) dial(ctx context.Context) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", up.addr)
	if err == nil && up.tls != nil {
		secured := tls.Client(conn, up.tls)
		if err = secured.HandshakeContext(ctx); err != nil {
			_ = conn.Close()
		}
		conn = secured
	}
	if err != nil {
		return nil, fmt.Errorf("the upstream proxy %s cannot be reached: %w", up.addr, err)
	}
	return conn, nil
}

// connect opens a tunnel through the upstream proxy.
func (up *upstream) connect(ctx context.Context, to permit.Connection) (net.Conn, error) {
	conn, err := up.dial(ctx)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	r, err := up.ask(conn, to)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = conn.Close()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, fmt.Errorf("the upstream proxy %s: %w", up.addr, err)
	}
	return &begun{conn, r}, nil
}

// ask sends CONNECT and reads the answer. The reader may hold bytes of the tunnel.
func (up *upstream) ask(conn net.Conn, to permit.Connection) (*bufio.Reader, error) {
	req := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: to.String()}, Host: to.String(), Header: http.Header{"User-Agent": {""}}}
	up.authorize(req.Header)
	if err := req.Write(conn); err != nil {
		return nil, err
	}
	r := bufio.NewReader(conn)
	resp, err := http.ReadResponse(r, req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, errors.New("it answered " + printable(resp.Status, 100))
	}
	return r, nil
}

// begun is a connection of which a reader already holds the first bytes.
type begun struct {
	net.Conn
	r *bufio.Reader
}

func (b *begun) Read(p []byte) (int, error) { return b.r.Read(p) }

// CloseWrite is for closeWrite.
func (b *begun) CloseWrite() error {
	closeWrite(b.Conn)
	return nil
}
