package model

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"syscall"
)

// proxyRefusal is the answer of a proxy that does not connect to a provider.
type proxyRefusal struct{ status int }

// Error implements error.
func (e *proxyRefusal) Error() string {
	text := fmt.Sprintf("it answered CONNECT with HTTP %d %s", e.status, http.StatusText(e.status))
	if e.status == http.StatusProxyAuthRequired {
		text += ": put a user and a password into its address"
	}
	return text
}

// refusedByProxy is [http.Transport.OnProxyConnectResponse]: the error of package net/http for a
// refusal is the status alone.
func refusedByProxy(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
	if resp.StatusCode == http.StatusOK {
		return nil
	}
	return &proxyRefusal{resp.StatusCode}
}

// proxyOf is the proxy of a request, without its password, and where it is configured; "" if
// there is none.
func (x *exchange) proxyOf() string {
	if x.client.proxy == nil || x.ep.Transport != nil {
		return ""
	}
	variable := "HTTP_PROXY"
	if x.url.Scheme == "https" {
		variable = "HTTPS_PROXY"
	}
	proxy, err := x.client.proxy(&http.Request{URL: x.url})
	if err != nil || proxy == nil {
		return ""
	}
	return "the proxy " + public(proxy) + " (" + variable + ")"
}

// connection explains an error of a connection: what the proxy has to do with it, and which
// setting is about a certificate. again is false if another attempt would end in the same way.
func (x *exchange) connection(text string, err error) (explained string, again bool) {
	proxy, again := x.proxyOf(), true
	var refusal *proxyRefusal
	var dialed *net.OpError
	switch {
	case proxy == "":
	case errors.As(err, &refusal):
		text, again = proxy+": "+refusal.Error(), refusal.status/100 == 5
	case errors.As(err, &dialed) && dialed.Op == "proxyconnect":
		text = proxy + " cannot be reached: " + dialed.Err.Error()
	default:
		text += ", through " + proxy
	}
	var unknown x509.UnknownAuthorityError
	var invalid *tls.CertificateVerificationError
	switch {
	case errors.As(err, &unknown):
		text, again = text+"; if that is the certificate of your network, put its CA into a file and name it in SIDESTICK_CA_FILE", false
	case errors.As(err, &invalid):
		again = false
	case wantsCertificate(err):
		text, again = text+"; name a certificate for this program in SIDESTICK_CLIENT_CERT and SIDESTICK_CLIENT_KEY", false
	case x.url.Scheme == "https" && (errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET)):
		// Its reason is lost if it comes while the request is written.
		text += "; a server that wants a certificate of its clients ends connections in this way, too: name one in SIDESTICK_CLIENT_CERT and SIDESTICK_CLIENT_KEY"
	}
	return text, again
}

// wantsCertificate reports whether a server has ended the handshake because this program has shown
// no certificate, or one that it does not accept. Package tls has no type for that.
// Source: RFC 8446, section 6.2.
func wantsCertificate(err error) bool {
	var op *net.OpError
	if !errors.As(err, &op) || op.Op != "remote error" {
		return false
	}
	reason := op.Err.Error()
	return reason == "tls: certificate required" || reason == "tls: bad certificate" || reason == "tls: unknown certificate authority"
}
