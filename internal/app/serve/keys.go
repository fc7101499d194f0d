package serve

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/origin"
)

// keysWait bounds a request for the keys of a platform.
const keysWait = 10 * time.Second

// maxKeysHops bounds the redirects of such a request.
const maxKeysHops = 3

// platformKeys is the source of keys that --extension-keys names; nil for "".
func platformKeys(from string) (extension.KeySource, error) {
	client := &http.Client{Timeout: keysWait, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if len(via) > maxKeysHops || !proves(req.URL) {
			return errors.New("it redirects too often, or to an address without https://")
		}
		return nil
	}}
	switch u, err := url.Parse(from); {
	case from == "":
		return nil, nil
	case from == "github":
		return extension.FetchKeys("", client), nil
	case strings.Contains(from, "://") && (err != nil || !proves(u)):
		return nil, errors.New("--extension-keys: keys must come over https://; give an https:// address or a file")
	case strings.Contains(from, "://"):
		return extension.FetchKeys(from, client), nil
	}
	pem, err := os.ReadFile(from)
	if err != nil {
		return nil, fmt.Errorf("--extension-keys: %w (give a file in PEM, an https:// address, or github)", err)
	}
	keys, err := extension.FixedKeys(string(pem))
	if err != nil {
		return nil, fmt.Errorf("--extension-keys: %s: %s", from, fault.Message(err))
	}
	return keys, nil
}

// proves reports whether the address authenticates its answers.
func proves(u *url.URL) bool {
	return u.Scheme == "https" || u.Scheme == "http" && origin.Loopback(u.Host)
}
