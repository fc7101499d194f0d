package config

import (
	"cmp"
	"strconv"
	"strings"
)

// Clouds are the settings of providers that need more than a key and an address.
type Clouds struct {
	// AzureVersion is a dated version of Azure's API; "" is the API without versions.
	AzureVersion Setting[string]
	// AWSRegion, AWSKeyID, AWSSecret and AWSSession are the credentials of AWS.
	AWSRegion, AWSKeyID   Setting[string]
	AWSSecret, AWSSession Setting[Secret]
	// OllamaWindow is the context window that Ollama is asked for, in tokens, as text.
	OllamaWindow Setting[string]
}

// clouds reads these settings. One that is not set is zero.
func (g given) clouds() (c Clouds) {
	set := func(to *Setting[string], source Setting[string]) {
		if source.Value != "" {
			*to = source
		}
	}
	hide := func(to *Setting[Secret], source Setting[string]) {
		if s := secret(source); s.Value != "" {
			*to = s
		}
	}
	set(&c.AzureVersion, g.text("providers.azure.apiVersion", ""))
	set(&c.AWSRegion, g.text("providers.bedrock.region", ""))
	set(&c.AWSKeyID, g.env.get("AWS_ACCESS_KEY_ID"))
	hide(&c.AWSSecret, g.env.get("AWS_SECRET_ACCESS_KEY"))
	hide(&c.AWSSession, g.env.get("AWS_SESSION_TOKEN"))
	set(&c.OllamaWindow, g.text("providers.ollama.contextLength", ""))
	return c
}

// Azure is what a provider on Azure has.
type Azure struct {
	Resource   bool
	APIVersion string
	Token      Secret // of Microsoft Entra, instead of a key
}

// onAzure takes the version of the API. A dated version has chat completions at an address for
// each deployment; only newer previews have Responses.
func onAzure(p *Provider, c Config) {
	p.Azure = Azure{Resource: true, APIVersion: c.Clouds.AzureVersion.Value}
	if dated := p.Azure.APIVersion; dated != "" && dated[0] >= '0' && dated[0] <= '9' {
		p.Dialect = chatCompletions
	}
	if strings.HasSuffix(c.Vendors["azure"].Key.From, "AZURE_OPENAI_AD_TOKEN") {
		p.Azure.Token, p.Key = p.Key, ""
	}
}

// AWS is what a provider on AWS has.
type AWS struct {
	Region, KeyID   string
	Secret, Session Secret
	Lacks           string // says which variable is not set; "" if all are
}

// onBedrock takes the region and the credentials. A key for Bedrock alone comes before them.
func onBedrock(p *Provider, c Config) {
	p.AWS.Region = c.Clouds.AWSRegion.Value
	if p.BaseURL == "" && p.AWS.Region != "" {
		p.BaseURL, p.From = "https://bedrock-runtime."+p.AWS.Region+"."+domainOf(p.AWS.Region), c.Clouds.AWSRegion.From
	}
	if p.Key == "" {
		p.AWS.KeyID, p.AWS.Secret, p.AWS.Session = c.Clouds.AWSKeyID.Value, c.Clouds.AWSSecret.Value, c.Clouds.AWSSession.Value
	}
	switch {
	case strings.Trim(p.AWS.Region, "abcdefghijklmnopqrstuvwxyz0123456789-") != "": // it becomes a part of the address
		p.AWS.Lacks = "AWS_REGION is not the name of a region, such as us-east-1"
	case p.AWS.Region == "" && (p.BaseURL == "" || p.Key == ""):
		p.AWS.Lacks = "the region of AWS is not known; set AWS_REGION, for example to us-east-1"
	case (p.AWS.KeyID == "") != (p.AWS.Secret == ""):
		p.AWS.Lacks = "the credentials of AWS are not complete; set " + awsCredentials
	}
}

// awsCredentials says which variables have credentials that sign requests.
const awsCredentials = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (`aws configure export-credentials --format env` prints those of a profile)"

// domainOf is the domain of the services in a region.
func domainOf(region string) string {
	if strings.HasPrefix(region, "cn-") {
		return "amazonaws.com.cn"
	}
	return "amazonaws.com"
}

// minWindow and maxWindow bound the context window, in tokens: less does not hold the system
// message, and no model has more.
const (
	minWindow = 2048
	maxWindow = 16 << 20
)

// onOllama takes the context window, by the variable that Ollama's server has for it, too.
func onOllama(p *Provider, c Config) {
	p.Window, _ = strconv.Atoi(cmp.Or(c.Clouds.OllamaWindow.Value, "0"))
}

// checkWindow refuses a context window that is not a number.
func checkWindow(s Setting[string]) error {
	if s.Value == "" {
		return nil
	}
	if n, err := strconv.Atoi(s.Value); err != nil || n < minWindow || n > maxWindow {
		return invalid(s.From, "give the context window in tokens, for example 65536", "%q is not a number from %d to %d", s.Value, minWindow, maxWindow)
	}
	return nil
}

// cloudKeys are the secrets of AWS. Commands inherit them, because they are not only for models:
// programs such as aws and terraform use them.
func (c Config) cloudKeys() (all []Secret) {
	for _, s := range []Secret{c.Clouds.AWSSecret.Value, c.Clouds.AWSSession.Value} {
		if s != "" {
			all = append(all, s)
		}
	}
	return all
}
