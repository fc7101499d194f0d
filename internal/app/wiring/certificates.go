package wiring

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// maxPEM bounds a file of certificates, in bytes. That of a system with all its CAs has a quarter
// of a megabyte.
const maxPEM = 8 << 20

// Certificates returns the certificates for calls to models; nil if no setting names any. An
// error is a [cli.UsageError] that names the setting and the file. warning is about
// NODE_EXTRA_CA_CERTS, which is set for other programs, and which Node ignores as well if it is
// wrong.
func Certificates(cfg config.Config) (certificates *tls.Config, warning, err error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if err := addCAs(c, cfg.CAFile); err != nil {
		return nil, nil, cli.NewUsageError(err)
	}
	warning = addCAs(c, cfg.NodeCAFile)
	if err := addClient(c, cfg.ClientCert, cfg.ClientKey); err != nil {
		return nil, nil, cli.NewUsageError(err)
	}
	if c.RootCAs == nil && c.Certificates == nil {
		return nil, warning, nil
	}
	return c, warning, nil
}

// HTTPClient returns a client with these certificates, for requests that are about models without
// being calls.
func HTTPClient(cfg config.Config) *http.Client {
	certificates, _, err := Certificates(cfg)
	if err != nil || certificates == nil { // an error has been reported at the start
		return http.DefaultClient
	}
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.TLSClientConfig = certificates
	return &http.Client{Transport: t}
}

// addCAs adds the certificates of a file to those of the system.
func addCAs(c *tls.Config, file config.Setting[string]) error {
	if file.Value == "" {
		return nil
	}
	data, err := readPEM(file)
	if err != nil {
		return err
	}
	if c.RootCAs == nil {
		if c.RootCAs, err = x509.SystemCertPool(); err != nil {
			c.RootCAs = x509.NewCertPool() // a system without any
		}
	}
	if !c.RootCAs.AppendCertsFromPEM(data) {
		return fmt.Errorf("%s: %s has no certificate in PEM (it begins with -----BEGIN CERTIFICATE-----)", file.From, file.Value)
	}
	return nil
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
func readPEM(file config.Setting[string]) ([]byte, error) {
	data, err := func() ([]byte, error) {
		f, err := vfs.OS{}.OpenFile(file.Value, os.O_RDONLY, 0)
		if err != nil {
			return nil, vfs.Reason(err)
		}
		defer func() { _ = f.Close() }() // nothing was written
		data, err := io.ReadAll(io.LimitReader(f, maxPEM+1))
		if err == nil && len(data) > maxPEM {
			err = errors.New("it is too long for a file of certificates")
		}
		return data, vfs.Reason(err)
	}()
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", file.From, file.Value, err)
	}
	return data, nil
}
