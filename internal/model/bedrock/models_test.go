package bedrock_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/bedrock"
	"github.com/sidestick-dev/sidestick/internal/testing/dialecttest"
)

// lists is a server of lists of models.
type lists struct {
	hosts  []string
	header http.Header
	denied string // the list that the credential may not read
}

func (l *lists) RoundTrip(r *http.Request) (*http.Response, error) {
	l.hosts, l.header = append(l.hosts, r.URL.Host), r.Header
	resp := &http.Response{StatusCode: 200, Header: http.Header{}, Request: r, Body: io.NopCloser(strings.NewReader(map[string]string{
		"/foundation-models": `{"modelSummaries":[` +
			`{"modelId":"anthropic.claude-opus-5","modelName":"Claude Opus 5","providerName":"Anthropic","inputModalities":["TEXT","IMAGE"],"inferenceTypesSupported":["INFERENCE_PROFILE"]},` +
			`{"modelId":"amazon.nova-micro-v1:0","modelName":"Nova Micro","providerName":"Amazon","inputModalities":["TEXT"],"inferenceTypesSupported":["ON_DEMAND"]}]}`,
		"/inference-profiles": `{"inferenceProfileSummaries":[{"inferenceProfileId":"us.anthropic.claude-opus-5","inferenceProfileName":"US Claude Opus 5",` +
			`"models":[{"modelArn":"arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-opus-5"}]}]}`,
	}[r.URL.Path]))}
	if r.URL.Path == l.denied {
		resp.StatusCode, resp.Body = 403, io.NopCloser(strings.NewReader(`{"message":"no"}`))
		resp.Header.Set("X-Amzn-Errortype", "AccessDeniedException:http://x")
	}
	return resp, nil
}

// The list has the profiles and the models that can be called without one, from a host of its own,
// with a signature.
func TestTheListOfModels(t *testing.T) {
	profile := model.Info{ID: "us.anthropic.claude-opus-5", Name: "US Claude Opus 5", Vendor: "Anthropic", Vision: true}
	micro := model.Info{ID: "amazon.nova-micro-v1:0", Name: "Nova Micro", Vendor: "Amazon"}
	blind := profile
	blind.Vendor, blind.Vision = "", false
	for denied, want := range map[string][]model.Info{"": {profile, micro}, "/inference-profiles": {micro}, "/foundation-models": {blind}} {
		s := &lists{denied: denied}
		c := model.New(model.Options{Transport: s}, bedrock.New())
		got, err := c.Models(t.Context(), model.Endpoint{
			BaseURL: "https://bedrock-runtime.us-east-1.amazonaws.com", Dialect: bedrock.Name, AWS: model.AWS{Region: "us-east-1", KeyID: "AK", Secret: "s", SessionToken: "session"},
		})
		if d := cmp.Diff(want, got, cmpopts.IgnoreFields(model.Info{}, "Raw")); d != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, d)
		}
		if auth := s.header.Get("Authorization"); s.hosts[0] != "bedrock.us-east-1.amazonaws.com" || !strings.HasPrefix(auth, "AWS4-HMAC-SHA256 Credential=AK/") ||
			!strings.Contains(auth, "/us-east-1/bedrock/aws4_request, SignedHeaders=host;x-amz-date;x-amz-security-token, ") || s.header.Get("X-Amz-Security-Token") != "session" {
			t.Errorf("%s got %v", s.hosts[0], s.header)
		}
		c.Close()
	}
}

// AWS quotes the signed headers of a request that it refuses. The session token is not repeated.
func TestASecretThatTheServerRepeats(t *testing.T) {
	at := model.Endpoint{BaseURL: "http://localhost", Dialect: bedrock.Name, AWS: model.AWS{Region: "us-east-1", KeyID: "AK", Secret: "the-secret-key", SessionToken: "the-session-token"}}
	s := dialecttest.JSON(403, `{"message":"The Canonical String should have been 'POST x-amz-security-token:the-session-token', with the-secret-key","__type":"InvalidSignatureException"}`)
	_, _, err := dialecttest.Ask(t, bedrock.New(), at, s, model.Request{Model: "m"})
	if err == nil || strings.Contains(err.Error(), "the-session-token") || strings.Contains(err.Error(), "the-secret-key") || !strings.Contains(err.Error(), "Canonical") {
		t.Errorf("the error is %v", err)
	}
}

// Lists are kept by credential, although the header has none before the request is signed.
func TestListsAreKeptByCredential(t *testing.T) {
	s := &lists{}
	c := model.New(model.Options{Transport: s}, bedrock.New())
	defer c.Close()
	for _, id := range []string{"AK1", "AK2", "AK1"} {
		at := model.Endpoint{BaseURL: "https://bedrock-runtime.us-east-1.amazonaws.com", Dialect: bedrock.Name, AWS: model.AWS{Region: "us-east-1", KeyID: id, Secret: "s"}}
		if _, err := c.Models(t.Context(), at); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.hosts) != 4 {
		t.Errorf("%d requests, want two for each credential", len(s.hosts))
	}
}
