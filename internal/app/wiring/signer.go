package wiring

import (
	"context"
	"path/filepath"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// ExtensionKeyFile is the name of the file, in the home, of the private key that signs
// calls to Copilot Extensions agents. It is PEM, and only its owner can read it.
const ExtensionKeyFile = "extension-key.pem"

// ExtensionSigner is the key of a home. It is made at its first use. Callers that ask at
// the same time, in any process, get the same key, because agents are given its public
// half. home is absolute; fsys nil is the operating system.
//
// Errors are [fault.Invalid] if the file holds no key of ours, in which case it is not
// replaced, and [fault.Unavailable] if it cannot be read or made.
func ExtensionSigner(ctx context.Context, home string, fsys vfs.FS) (*extension.Signer, error) {
	if fsys == nil {
		fsys = vfs.OS{}
	}
	path := filepath.Join(home, ExtensionKeyFile)
	pem, err := vfs.ReadOrCreate(ctx, fsys, path, func() ([]byte, error) {
		signer, err := extension.GenerateSigner()
		if err != nil {
			return nil, err
		}
		return signer.PEM(), nil
	})
	if err != nil {
		return nil, &fault.Error{Op: "wiring.ExtensionSigner", On: path, Kind: fault.Unavailable, Err: cli.Reason(err)}
	}
	signer, err := extension.ParseSigner(pem)
	if err != nil {
		return nil, &fault.Error{
			Op: "wiring.ExtensionSigner", On: path, Kind: fault.Invalid, Err: err,
			Hint: "sidestick did not make it, or it is damaged; move it away to get a new key, and give that to the agents",
		}
	}
	return signer, nil
}
