package config

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

func TestTheNameOfAModelMayNameItsProvider(t *testing.T) {
	for _, tc := range []namedCase{
		{"anthropic:claude-opus-5-5", env{"ANTHROPIC_API_KEY": "k"}, Provider{
			Kind: Vendor, Vendor: "anthropic", KeyName: "anthropic", Dialect: anthropic, BaseURL: "https://api.anthropic.com", Key: "k", WireModel: "claude-opus-5-5", From: Default,
		}},
		{"anthropic:m", env{"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": "http://proxy"}, Provider{
			Kind: Vendor, Vendor: "anthropic", KeyName: "anthropic", Dialect: anthropic, BaseURL: "http://proxy", Key: "k", WireModel: "m", From: "env ANTHROPIC_BASE_URL",
		}},
		{"gemini:m", env{"GEMINI_API_KEY": "k", "GOOGLE_GEMINI_BASE_URL": "http://proxy/"}, Provider{
			Kind: Vendor, Vendor: "gemini", KeyName: "gemini", Dialect: gemini, BaseURL: "http://proxy/v1beta", Key: "k", WireModel: "m", From: "env GOOGLE_GEMINI_BASE_URL",
		}},
		{"gemini:m", env{"GEMINI_API_KEY": "k", "GOOGLE_GEMINI_BASE_URL": "http://proxy/v1"}, Provider{
			Kind: Vendor, Vendor: "gemini", KeyName: "gemini", Dialect: gemini, BaseURL: "http://proxy/v1", Key: "k", WireModel: "m", From: "env GOOGLE_GEMINI_BASE_URL",
		}},
		{"ollama:qwen3:8b", env{}, Provider{
			Kind: Vendor, Vendor: "ollama", KeyName: "ollama", Dialect: ollama, BaseURL: "http://127.0.0.1:11434", WireModel: "qwen3:8b", From: Default,
		}},
		{"ollama:qwen3", env{"OLLAMA_HOST": "box", "OLLAMA_CONTEXT_LENGTH": "9000"}, Provider{
			Kind: Vendor, Vendor: "ollama", KeyName: "ollama", Dialect: ollama, BaseURL: "http://box:11434", WireModel: "qwen3", From: "env OLLAMA_HOST", Window: 9000,
		}},
		{"ollama:qwen3", env{"OLLAMA_HOST": "http://box:1/v1/", "OLLAMA_API_KEY": "k"}, Provider{
			Kind: Vendor, Vendor: "ollama", KeyName: "ollama", Dialect: ollama, BaseURL: "http://box:1", Key: "k", WireModel: "qwen3", From: "env OLLAMA_HOST",
		}},
		{"http://box:8000/v1#qwen/qwen3", env{"OPENAI_BASE_URL": "http://other/v1", "OPENAI_API_KEY": "k"}, Provider{
			Kind: Vendor, KeyName: "http://box:8000/v1", Dialect: chatCompletions, BaseURL: "http://box:8000/v1", WireModel: "qwen/qwen3", From: "the name of the model",
		}},
		{"http://box/v1#m", env{"OPENAI_BASE_URL": "http://box/v1/", "OPENAI_API_KEY": "k"}, Provider{
			Kind: Vendor, KeyName: "http://box/v1", Dialect: chatCompletions, BaseURL: "http://box/v1", Key: "k", WireModel: "m", From: "the name of the model",
		}},
		{"qwen3:8b", env{}, Provider{}},
		{"gpt-6", env{}, Provider{}},
		{"anthropic:", env{}, Provider{}},
		{"extension:https://agent.example", env{}, Provider{}},
		{"a#b", env{}, Provider{}},
	} {
		t.Run(tc.model, tc.check)
	}
}

// namedCase is the name of a model, an environment, and the provider that the name has.
type namedCase struct {
	model string
	env   env
	want  Provider // zero: the name has no provider
}

func (tc namedCase) check(t *testing.T) {
	t.Helper()
	got, ok := load(t, Flags{}, tc.env).Named(tc.model)
	if ok {
		tc.want.Model = tc.model
	}
	if diff := cmp.Diff(tc.want, got, cmpopts.EquateErrors(), cmpopts.IgnoreFields(Provider{}, "NoKey")); diff != "" {
		t.Error("Named (-want +got):\n" + diff)
	}
}

func TestProvidersInClouds(t *testing.T) {
	for _, tc := range []namedCase{
		{"azure:prod", env{"AZURE_OPENAI_API_KEY": "k", "AZURE_OPENAI_ENDPOINT": "https://r.openai.azure.com/"}, Provider{
			Kind: Vendor, Vendor: "azure", KeyName: "azure", Dialect: responses, BaseURL: "https://r.openai.azure.com/openai/v1", Key: "k", WireModel: "prod", From: "env AZURE_OPENAI_ENDPOINT",
			Azure: Azure{Resource: true},
		}},
		{"azure:prod", env{"AZURE_OPENAI_AD_TOKEN": "t", "AZURE_OPENAI_ENDPOINT": "https://r.openai.azure.com", "AZURE_OPENAI_API_VERSION": "2024-10-21"}, Provider{
			Kind: Vendor, Vendor: "azure", Dialect: chatCompletions, BaseURL: "https://r.openai.azure.com/openai/v1", WireModel: "prod", From: "env AZURE_OPENAI_ENDPOINT",
			Azure: Azure{Resource: true, APIVersion: "2024-10-21", Token: "t"},
		}},
		{"azure:prod", env{"AZURE_OPENAI_API_KEY": "k", "AZURE_OPENAI_ENDPOINT": "https://r.openai.azure.com", "AZURE_OPENAI_API_VERSION": "preview"}, Provider{
			Kind: Vendor, Vendor: "azure", KeyName: "azure", Dialect: responses, BaseURL: "https://r.openai.azure.com/openai/v1", Key: "k", WireModel: "prod", From: "env AZURE_OPENAI_ENDPOINT",
			Azure: Azure{Resource: true, APIVersion: "preview"},
		}},
		{"bedrock:us.a.b-v1:0", env{"AWS_REGION": "eu-west-1", "AWS_ACCESS_KEY_ID": "AK", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "t"}, Provider{
			Kind: Vendor, Vendor: "bedrock", Dialect: bedrock, BaseURL: "https://bedrock-runtime.eu-west-1.amazonaws.com", WireModel: "us.a.b-v1:0", From: "env AWS_REGION",
			AWS: AWS{Region: "eu-west-1", KeyID: "AK", Secret: "s", Session: "t"},
		}},
		{"bedrock:m", env{"AWS_DEFAULT_REGION": "cn-north-1", "AWS_BEARER_TOKEN_BEDROCK": "b", "AWS_ACCESS_KEY_ID": "AK", "AWS_SECRET_ACCESS_KEY": "s"}, Provider{
			Kind: Vendor, Vendor: "bedrock", KeyName: "bedrock", Dialect: bedrock, BaseURL: "https://bedrock-runtime.cn-north-1.amazonaws.com.cn", Key: "b", WireModel: "m", From: "env AWS_DEFAULT_REGION",
			AWS: AWS{Region: "cn-north-1"},
		}},
		{"bedrock:m", env{"AWS_ENDPOINT_URL_BEDROCK_RUNTIME": "http://gate", "AWS_BEARER_TOKEN_BEDROCK": "b"}, Provider{
			Kind: Vendor, Vendor: "bedrock", KeyName: "bedrock", Dialect: bedrock, BaseURL: "http://gate", Key: "b", WireModel: "m", From: "env AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
		}},
	} {
		t.Run(tc.model, tc.check)
	}
}

func TestWhatAVendorLacks(t *testing.T) {
	for model, want := range map[string]string{
		"anthropic:m": "set ANTHROPIC_API_KEY, or run: sidestick keys set anthropic", "gemini:m": "GEMINI_API_KEY",
	} {
		p, ok := load(t, Flags{}, env{}).Named(model)
		if !ok || p.Missing != nil || fault.KindOf(p.NoKey) != fault.Invalid || !strings.Contains(p.NoKey.Error(), want) {
			t.Errorf("%s: %v, %v, want %q", model, p.Missing, p.NoKey, want)
		}
	}
	for model, variables := range map[string]env{
		"anthropic:m": {"ANTHROPIC_BASE_URL": "https://ann:word@a.example"}, "gemini:m": {"GOOGLE_GEMINI_BASE_URL": "https://ann:word@a.example"},
		"ollama:m": {"OLLAMA_HOST": "ann:word@a.example:1"}, "azure:m": {"AZURE_OPENAI_ENDPOINT": "https://ann:word@a.example"},
		"bedrock:m": {"AWS_ENDPOINT_URL_BEDROCK_RUNTIME": "https://ann:word@a.example", "AWS_REGION": "us-east-1"}, "https://ann:word@a.example/v1#m": {},
	} {
		p, ok := load(t, Flags{}, variables).Named(model)
		if !ok || fault.KindOf(p.Missing) != fault.Invalid || !strings.Contains(p.Missing.Error(), "contains a user name or password") || strings.Contains(p.Missing.Error(), "word@") {
			t.Errorf("%s with a password in its address: %v", model, p.Missing)
		}
	}
	if p, _ := load(t, Flags{}, env{}).Named("azure:m"); fault.KindOf(p.Missing) != fault.Invalid || !strings.Contains(p.Missing.Error(), "address of azure is not known") {
		t.Errorf("azure without an address: %v", p.Missing)
	}
	for _, region := range []string{"us-east-1@evil.test/", "evil.test/x", "EU"} {
		if p, _ := load(t, Flags{}, env{"AWS_REGION": region, "AWS_BEARER_TOKEN_BEDROCK": "b"}).Named("bedrock:m"); p.Missing == nil || !strings.Contains(p.Missing.Error(), "not the name of a region") {
			t.Errorf("the region %q: %v", region, p.Missing)
		}
	}
	for _, half := range []env{{}, {"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "AK"}} {
		want := "set AWS_REGION"
		if half["AWS_REGION"] != "" {
			want = "AWS_SECRET_ACCESS_KEY"
		}
		if p, _ := load(t, Flags{}, half).Named("bedrock:m"); p.Missing == nil || !strings.Contains(p.Missing.Error(), want) {
			t.Errorf("bedrock with %v: %v", half, p.Missing)
		}
	}
	if p, _ := load(t, Flags{}, env{"AWS_REGION": "us-east-1"}).Named("bedrock:m"); p.Missing != nil || p.NoKey == nil || !strings.Contains(p.NoKey.Error(), "AWS_SECRET_ACCESS_KEY") {
		t.Errorf("bedrock without credentials: %v, %v", p.Missing, p.NoKey)
	}
	if p, _ := load(t, Flags{}, env{}).Named("ollama:m"); p.Missing != nil || p.NoKey != nil {
		t.Errorf("ollama needs nothing, not %v, %v", p.Missing, p.NoKey)
	}
	if p, _ := load(t, Flags{}, env{"OLLAMA_HOST": "ftp://x"}).Named("ollama:m"); p.Missing == nil {
		t.Error("an address that is none is accepted")
	}
}

// A prompt for one server must not go to another one, wherever the user names the model.
func TestANameThatWasMeantToNameAProviderIsRefused(t *testing.T) {
	for name, want := range map[string]string{
		"http://box:8977/v1": "is the address of a server", "https://u:secret@box/v1?key=secret": "names no model (name the model there, too: https://…@box/v1?…#MODEL)",
		"http://box/v1#": "http://box/v1#MODEL", "box:8977/v1#m": "did you mean http://box:8977/v1#m?", "localhost:8977": "did you mean http://localhost:8977/v1#MODEL?",
		"anthropc:claude-opus-5-5": "did you mean anthropic:claude-opus-5-5?", "Ollama:qwen3:8b": "did you mean ollama:qwen3:8b?", "XAI:m": "did you mean xai:m?",
	} {
		for from, e := range map[string]env{
			"SIDESTICK_MODEL": {"SIDESTICK_MODEL": name}, "SIDESTICK_FALLBACK": {"SIDESTICK_FALLBACK": "m, " + name}, "SIDESTICK_AGENT_MODELS": {"SIDESTICK_AGENT_MODELS": "explore=" + name},
		} {
			e["OPENAI_BASE_URL"] = "http://other/v1"
			_, err := Load(Flags{}, e.get, "/home/u")
			if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), from) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%s=%s: %v, want %q", from, name, err, want)
			}
		}
		p, ok := load(t, Flags{}, env{"OPENAI_BASE_URL": "http://other/v1"}).Named(name)
		if !ok || fault.KindOf(p.Missing) != fault.Invalid || p.BaseURL != "" {
			t.Errorf("%s: %+v, want a provider that cannot be called", name, p)
		}
	}
	for _, name := range []string{
		"qwen3:8b", "llama:7b", "llama3:8b", "llama3.1:8", "mixtral:8x7b", "mistral:7b", "ministral:8b", "gemma:7b", "phi:latest", "yi:34b", "glm:9b",
		"deepseek-r1:7b", "openchat:7b", "deepseek/deepseek-r1:free", "ft:gpt-6:org::id", "anthropic.claude-opus-5-5-v1:0", "gpt-6", "a#b", "http://box/v1#m", "ollama:qwen3:8b", "",
	} {
		if _, err := Load(Flags{Model: name}, env{"OPENAI_BASE_URL": "http://other/v1"}.get, "/home/u"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheContextWindowIsANumber(t *testing.T) {
	for _, value := range []string{"64k", "10", "1e5"} {
		e := env{"OLLAMA_CONTEXT_LENGTH": value}
		if _, err := Load(Flags{}, e.get, "/home/u"); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "OLLAMA_CONTEXT_LENGTH") {
			t.Errorf("%s: %v", value, err)
		}
	}
}

func TestTheConfiguredModelChoosesItsProvider(t *testing.T) {
	p := load(t, Flags{Model: "anthropic:m"}, env{"ANTHROPIC_API_KEY": "k", "OPENAI_BASE_URL": "http://l/v1"}).Provider()
	if p.Kind != Vendor || p.Vendor != "anthropic" {
		t.Errorf("the provider is %+v", p)
	}
}

// Tools must not inherit the keys, and nothing may print them.
func TestKeysOfVendorsAreSecrets(t *testing.T) {
	e := env{"ANTHROPIC_API_KEY": "a-key", "GEMINI_API_KEY": "g-key"}
	found := map[string]bool{}
	for _, v := range SecretVariables(Flags{}, e.get) {
		found[v.Name] = found[v.Name] || v.Value != ""
	}
	if !found["ANTHROPIC_API_KEY"] || !found["GEMINI_API_KEY"] {
		t.Errorf("the secret variables are %v", found)
	}
	if n := len(load(t, Flags{}, e).VendorKeys()); n != 2 {
		t.Errorf("%d keys, want 2", n)
	}
	// The credentials of AWS are for all programs that use AWS, so that commands keep them.
	aws := env{"AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "t", "AWS_BEARER_TOKEN_BEDROCK": "b"}
	for _, v := range SecretVariables(Flags{}, aws.get) {
		if v.Value != "" && v.Name != "AWS_BEARER_TOKEN_BEDROCK" {
			t.Errorf("commands do not inherit %s", v.Name)
		}
	}
	if n := len(load(t, Flags{}, aws).VendorKeys()); n != 3 {
		t.Errorf("%d secrets of AWS are hidden, want 3", n)
	}
}

// The page about models has a row for each vendor.
func TestTheModelsPageHasEveryVendor(t *testing.T) {
	page, err := os.ReadFile("../../docs/models.md")
	if err != nil {
		t.Fatal(err)
	}
	dialects := map[string]string{chatCompletions: "chat completions", responses: "Responses", anthropic: "Anthropic Messages", gemini: "Gemini", bedrock: "Converse of AWS Bedrock", ollama: "Ollama's own"}
	for _, v := range vendors() {
		_, row, _ := strings.Cut(string(page), "\n| `"+v.name+"` | ")
		row, _, _ = strings.Cut(row, "\n")
		for _, want := range append(append([]string{dialects[v.dialect], v.baseURL}, v.keyVariables...), v.addressVariables...) {
			if row == "" || !strings.Contains(row, want) {
				t.Errorf("docs/models.md: the row of %s does not have %q: %s", v.name, want, row)
			}
		}
	}
}
