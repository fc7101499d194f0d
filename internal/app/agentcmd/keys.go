package agentcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/origin"
)

// keysPath is where agents look for a platform's keys, below the address of its API.
// Source: docs/extensions.md, "Keys".
const keysPath = "/meta/public_keys/copilot_api"

func keysCommand(o *cli.Options) *cobra.Command {
	var addr string
	var asPEM bool
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "Print or publish the public key that requests are signed with",
		Long: `Print the public key for the signatures of Sidestick's requests, as JSON in the
form of GitHub's endpoint, or publish it on this machine, at the path that
agents read: http://ADDR` + keysPath + `.

The private key is ` + wiring.ExtensionKeyFile + ` in Sidestick's home, which only you
can read. It is made at its first use and never printed. To replace it, delete
the file, and give the new public key to each agent.`,
		Example: `  sidestick agent keys > keys.json
  sidestick agent keys --pem > platform.pem        # for extension.FixedKeys
  sidestick agent keys --serve 127.0.0.1:8081      # until Ctrl-C`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asPEM && addr != "" {
				return cli.WrongUsage(cmd, errors.New("give --pem or --serve, not both"))
			}
			signer, err := signerOf(cmd.Context(), o)
			switch {
			case err != nil:
				return err
			case addr != "":
				return publish(cmd.Context(), o, signer, addr)
			}
			return printKeys(o, signer, asPEM)
		},
	}
	cmd.Flags().StringVar(&addr, "serve", "", "publish it on this loopback `address`; port 0 is any free one")
	cmd.Flags().BoolVar(&asPEM, "pem", false, "print only the key, as PEM")
	return cmd
}

// signer is the key of the home that the configuration names.
func signerOf(ctx context.Context, o *cli.Options) (*extension.Signer, error) {
	cfg, err := o.Config()
	if err != nil {
		return nil, err
	}
	return wiring.ExtensionSigner(ctx, cli.Absolute(cfg.Home.Value), o.Sys.FS)
}

func printKeys(o *cli.Options, signer *extension.Signer, asPEM bool) error {
	text := string(signer.PublicKeys()) + "\n"
	if asPEM {
		pem, err := publicPEM(signer)
		if err != nil {
			return err
		}
		text = pem
	}
	err := cli.Print(o.Sys.Stdout, text)
	return err
}

// publish serves the keys until ctx ends, to this machine only: the author of an agent
// decides which callers it accepts, by taking the key, and not by fetching it over a network. A web page
// that could read the key would recognize the user by it.
func publish(ctx context.Context, o *cli.Options, signer *extension.Signer, addr string) error {
	if err := loopback(addr); err != nil {
		return cli.NewUsageError(err)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("cannot listen: %w (choose another --serve, or port 0 for any free one)", err)
	}
	mux := http.NewServeMux()
	mux.Handle(keysPath, signer)
	server := &http.Server{Handler: origin.Named(mux), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	err = cli.Printf(o.Sys.Stdout, "publishing the public key at http://%s%s\n", l.Addr(), keysPath)
	if err == nil {
		select {
		case err = <-served:
			return err
		case <-ctx.Done():
		}
	}
	closed := server.Close()
	<-served
	return errors.Join(err, closed)
}

// loopback checks that only this machine can reach an address.
func loopback(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("--serve %s: %w (for example 127.0.0.1:8081)", addr, err)
	}
	ip, err := netip.ParseAddr(host)
	if host != "localhost" && (err != nil || !ip.IsLoopback()) {
		return fmt.Errorf("--serve %s: other machines could reach it; listen on 127.0.0.1", addr)
	}
	return nil
}

// publicPEM is the public key of a signer.
func publicPEM(signer *extension.Signer) (string, error) {
	var published struct {
		Keys []struct{ Key string } `json:"public_keys"`
	}
	if err := json.Unmarshal(signer.PublicKeys(), &published); err != nil {
		return "", err
	}
	if len(published.Keys) == 0 {
		return "", errors.New("the signer has no key")
	}
	return published.Keys[0].Key, nil
}
