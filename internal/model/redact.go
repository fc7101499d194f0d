package model

import (
	"errors"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/obs"
)

// AddSecrets makes the credentials of an endpoint known: its keys, those in its base URL, and
// its headers.
func (e *Endpoint) AddSecrets(r *obs.Redactor) {
	r.Add(e.APIKey)
	r.Add(e.BearerToken)
	r.Add(e.AWS.Secret)
	r.Add(e.AWS.SessionToken)
	r.AddURL(e.BaseURL)
	for name, value := range e.Headers {
		r.AddHeader(name, value)
	}
}

// secretsOf returns a redactor for what a server says to a call: servers repeat what they
// refuse, such as the key in a 401 or an address in a proxy's page. r is nil for a list of
// models.
func (c *Client) secretsOf(ep *Endpoint, r *Request) *obs.Redactor {
	secrets := c.secrets.Child()
	ep.AddSecrets(secrets)
	if r != nil {
		for name, value := range r.Headers {
			secrets.AddHeader(name, value)
		}
	}
	return secrets
}

// redacted removes the credentials of a call from its error, which may be nil. No other
// goroutine uses the error yet.
func redacted(err error, secrets *obs.Redactor) error {
	var e *Error
	if errors.As(err, &e) {
		e.Code, e.Type, e.Param = secrets.Redact(e.Code), secrets.Redact(e.Type), secrets.Redact(e.Param)
		e.Message, e.CallID, e.URL = secrets.RedactExcerpt(e.Message), secrets.Redact(e.CallID), secrets.Redact(e.URL)
	}
	var f *fault.Error
	if !errors.As(err, &f) {
		return err
	}
	f.On, f.Hint = secrets.Redact(f.On), secrets.Redact(f.Hint)
	if e == nil && f.Err != nil {
		if text := f.Err.Error(); secrets.Redact(text) != text {
			f.Err = errors.New(secrets.Redact(text))
		}
	}
	return err
}

// withoutSecrets removes the credentials of a call from a list of models. No other goroutine
// uses the list yet.
func withoutSecrets(infos []Info, secrets *obs.Redactor) []Info {
	for i := range infos {
		m := &infos[i]
		m.ID, m.Name, m.Vendor = secrets.RedactPiece(m.ID), secrets.RedactPiece(m.Name), secrets.RedactPiece(m.Vendor)
		for k, effort := range m.ReasoningEfforts {
			m.ReasoningEfforts[k] = secrets.RedactPiece(effort)
		}
		m.Policy, m.Billing, m.Raw = secrets.RedactData(m.Policy, true), secrets.RedactData(m.Billing, true), secrets.RedactData(m.Raw, true)
	}
	return infos
}
