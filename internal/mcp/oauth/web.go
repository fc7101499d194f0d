package oauth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// Bounds of one request.
const (
	requestTime  = 15 * time.Second
	maxAnswer    = 256 << 10 // bytes
	maxRedirects = 3         // of a document, within its host
)

// RoundTrip implements [http.RoundTripper]: requests to the host of the server may go to private
// addresses, those to other hosts only if the user has written one for the server ([NewServer]).
func (s *Server) RoundTrip(q *http.Request) (*http.Response, error) {
	if origin(q.URL) == origin(s.to) {
		return s.own.RoundTrip(q)
	}
	return s.others.RoundTrip(q)
}

// document reads a JSON object. found is false if there is none at that address.
func (s *Server) document(ctx context.Context, at *url.URL, into any) (text []byte, found bool, err error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, false, err
	}
	status, text, err := s.send(q, true)
	switch {
	case err != nil:
		return nil, false, fmt.Errorf("%s cannot be read: %w", at.Host+at.Path, err)
	case status >= 500:
		return nil, false, fmt.Errorf("%s was answered with status %d", at.Host+at.Path, status)
	case status != http.StatusOK:
		return nil, false, nil
	}
	if json.Unmarshal(text, into) != nil {
		return nil, false, nil // a page for people, as servers send for any path
	}
	return text, true, nil
}

// post sends a body, and returns the status and the answer. Redirects are not followed.
func (s *Server) post(ctx context.Context, to *url.URL, kind string, body []byte, header http.Header) (status int, answer []byte, err error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	for name, values := range header {
		q.Header[name] = values
	}
	q.Header.Set("Content-Type", kind)
	return s.send(q, false)
}

// send sends a request, and reads the answer.
func (s *Server) send(q *http.Request, follow bool) (status int, answer []byte, err error) {
	ctx, cancel := context.WithTimeoutCause(q.Context(), requestTime, fmt.Errorf("no answer within %v", requestTime))
	defer cancel()
	client := &http.Client{Transport: s, CheckRedirect: func(next *http.Request, before []*http.Request) error {
		if !follow || len(before) > maxRedirects || origin(next.URL) != origin(before[0].URL) {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	q = q.WithContext(ctx)
	q.Header.Set("Accept", "application/json")
	res, err := client.Do(q)
	if err != nil {
		return 0, nil, bare(ctx, err)
	}
	defer res.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return 0, nil, bare(ctx, err)
	}
	if len(answer) > maxAnswer {
		return 0, nil, fmt.Errorf("the answer is longer than %d KiB", maxAnswer>>10)
	}
	return res.StatusCode, answer, nil
}

// bare is the error of a request without its address, whose query may hold a secret.
func bare(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	var of *url.Error
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}
