package model

import "net/url"

// Owner says who has brought a credential. A credential is shown to its owner and to nobody else:
// [Reader.May] decides.
type Owner string

const (
	// OfMachine owns what is kept on this machine: in the files of package keys, in the keyring, by a
	// command, and in files of settings. It is the zero value, so that a credential whose origin nobody
	// has noted is shown to no client.
	OfMachine Owner = ""
	// OfEnvironment owns what the environment and the command line of this process have brought.
	OfEnvironment Owner = "environment"
)

// OfClient owns what a client has brought on a connection, which has a name of its own. Without a
// name it is [OfMachine].
func OfClient(connection string) Owner {
	if connection == "" {
		return OfMachine
	}
	return Owner("client " + connection)
}

// Reader is a client that could be shown a credential.
type Reader struct {
	// Connection is the name of its connection, as in [OfClient].
	Connection string
	// Started says that the client has started this process, and so has brought its environment.
	Started bool
	// Everything says that the user has allowed every client to read every credential.
	Everything bool
}

// May reports whether the client may be shown a credential.
func (r Reader) May(o Owner) bool {
	switch {
	case r.Everything:
		return true
	case o == OfMachine:
		return false
	case o == OfEnvironment:
		return r.Started
	}
	return o == OfClient(r.Connection)
}

// owners are those who have brought what is secret in a request: the credential and the headers of
// the endpoint, its address, and the headers of the call. r is nil for a list of models.
func (e *Endpoint) owners(r *Request) (all []Owner) {
	if e.Secret() != "" || e.AWS.Secret != "" || len(e.Headers) > 0 {
		all = append(all, e.Owner)
	}
	if HasSecret(e.BaseURL) {
		all = append(all, e.AddressOwner)
	}
	if r != nil && len(r.Headers) > 0 {
		all = append(all, r.HeadersOwner)
	}
	return all
}

// foreign refuses the headers of a call at an address that a client has brought, if somebody else has brought the
// headers: they may be credentials, and whoever has named the address may read them there.
func (e *Endpoint) foreign(r *Request) error {
	if len(r.Headers) == 0 || e.AddressOwner == OfMachine || e.AddressOwner == OfEnvironment || e.AddressOwner == r.HeadersOwner {
		return nil
	}
	return invalid(opStream, PublicAddress(e.BaseURL), "the requestHeaders of this message are not sent to this address, because another client has brought the provider and could read them; send the message without requestHeaders, or bring the provider on this connection")
}

// HasSecret reports whether an address has a user, or a query, which may be credentials.
func HasSecret(address string) bool {
	u, err := url.Parse(address)
	return err != nil || u.User != nil || u.RawQuery != ""
}

// handOver decides whether [Endpoint.Transport] carries a request. If the request has a credential that the
// transport may not see, this program sends it itself; the error is that of [Endpoint.Uncarried].
// It is called when the credential of the request is known.
func (e *Endpoint) handOver(r *Request) error {
	if e.Transport == nil {
		return nil
	}
	for _, o := range e.owners(r) {
		if e.Transport.May(o) {
			continue
		}
		if e.Uncarried != nil {
			return e.Uncarried
		}
		withheld := e.Transport
		e.Transport = nil
		withheld.Withheld(PublicAddress(e.BaseURL))
		return nil
	}
	return nil
}
