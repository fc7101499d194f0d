// Package bedrock is the dialect of AWS Bedrock's Converse: POST of a conversation to
// model/ID/converse-stream, answered by a stream of binary frames, or to model/ID/converse,
// answered by one JSON object. One protocol serves the models of all vendors that Bedrock has.
//
// # Credentials
//
// A key for Bedrock is sent as it is, as [model.Endpoint.APIKey] or BearerToken. Otherwise
// requests are signed with [model.Endpoint.AWS].
//
// # What is sent back
//
// Reasoning goes back as it came, with its signature and in its place, and only to the model
// that it came from. Reasoning without a signature is not sent back: the models that do not
// sign refuse it.
//
// Both the signature and the frames are written here, because the modules of AWS for them run
// code at every start of the program; the test vectors are those of AWS.
package bedrock

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// Name is the dialect's name in [model.Endpoint].
const Name = "bedrock"

// service is the name of Bedrock in signatures.
const service = "bedrock"

// New returns the dialect.
func New() model.Dialect {
	p := model.Protocol{
		Address:     address,
		ListAddress: hostedAddress,
		Header:      authorize,
		Sign: func(req *http.Request, body *model.Body, ep *model.Endpoint) {
			if ep.Secret() == "" && ep.AWS.Secret != "" {
				sign(req, sum(body), ep.AWS, service, time.Now())
			}
		},
		Framing: &model.Framing{Type: "application/vnd.amazon.eventstream", Read: newFrames},
		Encode:  encode,
		Params:  func(*model.Endpoint) *model.ParamNames { return params() },
		Nested:  true,
		Members: []string{"system", "messages", "inferenceConfig", "toolConfig", "additionalModelRequestFields", "outputConfig", "modelId"},
		Decoder: func(_ *model.Endpoint, _ *model.Request, emit func(model.Delta)) model.Decoder {
			return &decoder{answer: answer{Blocks: model.Blocks{Emit: emit}}}
		},
		Infos:  decodeHosted,
		Errors: failures,
	}
	calls := model.HTTP(Name, p)
	p.ListAddress, p.Infos = profilesAddress, decodeProfiles
	return &dialect{Dialect: calls, profiles: model.HTTP(Name, p)}
}

func address(ep *model.Endpoint, r *model.Request) (*url.URL, error) {
	u, err := ep.At()
	if err != nil {
		return nil, err
	}
	method := "/converse"
	if r.Stream {
		method = "/converse-stream"
	}
	// The id may be an ARN, with colons and slashes, and is one segment of the path.
	base, name := strings.TrimSuffix(u.Path, "/")+"/model/", r.ModelAt(ep)
	u.Path, u.RawPath = base+name+method, escaped(base, true)+escaped(name, false)+method
	return u, nil
}

func authorize(h http.Header, ep *model.Endpoint) {
	if secret := ep.Secret(); secret != "" {
		h.Set("Authorization", "Bearer "+secret)
	}
}
