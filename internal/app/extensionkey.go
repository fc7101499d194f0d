package app

import (
	"context"
	"path/filepath"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// extensionKeyFile is the private key that this home signs with when it calls Copilot
// Extensions agents, as PEM, readable for its owner only.
const extensionKeyFile = "extension-key.pem"

// extensionSigner is the key of a home. It is made at its first use, and then there
// is one, whoever else asks at the same time: agents are told its public half. home
// is absolute; fsys nil is the operating system.
//
// Errors are [fault.Invalid], if the file holds no key of ours, which is never
// replaced, and [fault.Unavailable], if it cannot be read or made.
func extensionSigner(ctx context.Context, home string, fsys vfs.FS) (*extension.Signer, error) {
	if fsys == nil {
		fsys = vfs.OS{}
	}
	path := filepath.Join(home, extensionKeyFile)
	pem, err := vfs.ReadOrCreate(ctx, fsys, path, func() ([]byte, error) {
		signer, err := extension.GenerateSigner()
		if err != nil {
			return nil, err
		}
		return signer.PEM(), nil
	})
	if err != nil {
		return nil, &fault.Error{Op: "app.extensionSigner", On: path, Kind: fault.Unavailable, Err: reason(err)}
	}
	signer, err := extension.ParseSigner(pem)
	if err != nil {
		return nil, &fault.Error{
			Op: "app.extensionSigner", On: path, Kind: fault.Invalid, Err: err,
			Hint: "it was not made by sidestick, or is damaged; put it away, and a new key is made, which agents then have to be told",
		}
	}
	return signer, nil
}
