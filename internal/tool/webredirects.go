package tool

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/sidestick-dev/sidestick/internal/dial"
)

// elsewhere is a redirect to another host, which needs a permission of its own.
type elsewhere struct{ to *url.URL }

func (e elsewhere) Error() string { return "redirects to " + e.to.String() }

// fetch follows redirects within the host and reads the answer.
func (t webFetch) fetch(ctx context.Context, u *url.URL) (fetched, error) {
	for range maxRedirects + 1 {
		resp, err := t.get(ctx, u)
		if err != nil {
			return fetched{}, err
		}
		next, err := redirect(resp, u)
		if next == nil && err == nil {
			defer resp.Body.Close()
			return read(resp, u)
		}
		resp.Body.Close()
		if err != nil {
			return fetched{}, err
		}
		u = next
	}
	return fetched{}, fmt.Errorf("it redirects more than %d times", maxRedirects)
}

func (t webFetch) get(ctx context.Context, u *url.URL) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", agent)
	req.Header.Set("Accept", "text/markdown, text/html;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.1")
	return t.via.RoundTrip(req)
}

// redirect returns where an answer leads, nil if it is the last.
func redirect(resp *http.Response, from *url.URL) (*url.URL, error) {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, nil
	}
	at, err := resp.Location()
	if err != nil {
		return nil, errors.New("it redirects without saying where")
	}
	to, err := address(at.String())
	switch {
	case err != nil:
		return nil, fmt.Errorf("it redirects: %w", err)
	case from.Scheme == "https" && to.Scheme == "http":
		return nil, fmt.Errorf("it redirects to %s, which is not encrypted", to)
	case !dial.SameHost(from, to):
		return nil, elsewhere{to}
	}
	return to, nil
}
