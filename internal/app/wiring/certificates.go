package wiring

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// maxPEM bounds a file of certificates, in bytes. That of a system with all its CAs has a quarter
// of a megabyte.
const maxPEM = 8 << 20

// Certificates returns what loads the certificates for calls to models, once; nil if no setting
// names any. Those of the system are not read before, because they take 7 MB and a hundredth of a
// second. An error is a [cli.UsageError] that names the setting and the file. warning is about
// NODE_EXTRA_CA_CERTS, which is set for other programs, and which Node ignores as well if it is
// wrong.
func Certificates(cfg config.Config) (load func() *tls.Config, warning, err error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	own, err := readCAs(cfg.CAFile)
	if err == nil {
		err = addClient(c, cfg.ClientCert, cfg.ClientKey)
	}
	if err != nil {
		return nil, nil, cli.NewUsageError(err)
	}
	node := cfg.NodeCAFile
	if warning = findCA(node); warning != nil {
		node.Value = ""
	}
	if own == nil && node.Value == "" && c.Certificates == nil {
		return nil, warning, nil
	}
	return sync.OnceValue(func() *tls.Config {
		if own == nil && node.Value == "" {
			return c
		}
		if c.RootCAs, err = x509.SystemCertPool(); err != nil {
			c.RootCAs = x509.NewCertPool() // a system without any
		}
		c.RootCAs.AppendCertsFromPEM(own)
		if more, err := readPEM(node); node.Value != "" && err == nil {
			c.RootCAs.AppendCertsFromPEM(more)
		}
		return c
	}), warning, nil
}

// HTTPClient returns a client with these certificates, for requests that are about models without
// being calls.
func HTTPClient(cfg config.Config) *http.Client {
	load, _, err := Certificates(cfg)
	if err != nil || load == nil { // an error has been reported at the start
		return http.DefaultClient
	}
	return &http.Client{Transport: loading(sync.OnceValue(func() http.RoundTripper {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.TLSClientConfig = load()
		return t
	}))}
}

// loading makes its transport at the first request.
type loading func() http.RoundTripper

// RoundTrip implements [http.RoundTripper].
func (l loading) RoundTrip(req *http.Request) (*http.Response, error) { return l().RoundTrip(req) }

// readCAs returns the file of certificates that a setting names; nil if it names none.
func readCAs(file config.Setting[string]) ([]byte, error) {
	if file.Value == "" {
		return nil, nil
	}
	data, err := readPEM(file)
	if err == nil && !x509.NewCertPool().AppendCertsFromPEM(data) {
		err = noCertificate(file)
	}
	return data, err
}

func noCertificate(file config.Setting[string]) error {
	return fmt.Errorf("%s: %s has no certificate in PEM (it begins with -----BEGIN CERTIFICATE-----)", file.From, file.Value)
}

// findCA looks for the beginning of a certificate in a file, without reading more of it; nil if no
// file is named.
func findCA(file config.Setting[string]) error {
	if file.Value == "" {
		return nil
	}
	return inFile(file, func(f io.Reader) error {
		lines := bufio.NewScanner(io.LimitReader(f, maxPEM))
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "-----BEGIN CERTIFICATE-----") {
				return nil
			}
		}
		return noCertificate(file)
	})
}

// addClient adds the certificate of this program.
func addClient(c *tls.Config, cert, key config.Setting[string]) error {
	switch {
	case cert.Value == "" && key.Value == "":
		return nil
	case key.Value == "":
		return fmt.Errorf("%s: the private key is missing; name its file in SIDESTICK_CLIENT_KEY", cert.From)
	case cert.Value == "":
		return fmt.Errorf("%s: the certificate is missing; name its file in SIDESTICK_CLIENT_CERT", key.From)
	}
	public, err := readPEM(cert)
	if err != nil {
		return err
	}
	private, err := readPEM(key)
	if err != nil {
		return err
	}
	pair, err := tls.X509KeyPair(public, private)
	if err != nil {
		return fmt.Errorf("%s, %s: %s and %s are not a certificate with its private key in PEM, without a passphrase: %w",
			cert.From, key.From, cert.Value, key.Value, err)
	}
	c.Certificates = []tls.Certificate{pair}
	return nil
}

// readPEM reads the file that a setting names. Its error names both.
func readPEM(file config.Setting[string]) (data []byte, err error) {
	err = inFile(file, func(f io.Reader) error {
		data, err = io.ReadAll(io.LimitReader(f, maxPEM+1))
		if err == nil && len(data) > maxPEM {
			err = errors.New("it is too long for a file of certificates")
		}
		if err != nil {
			return fmt.Errorf("%s: %s: %w", file.From, file.Value, vfs.Reason(err))
		}
		return nil
	})
	return data, err
}

// inFile opens the file that a setting names. The error of that names both.
func inFile(file config.Setting[string], read func(io.Reader) error) error {
	f, err := vfs.OS{}.OpenFile(file.Value, os.O_RDONLY, 0)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", file.From, file.Value, vfs.Reason(err))
	}
	defer func() { _ = f.Close() }() // nothing was written
	return read(f)
}
