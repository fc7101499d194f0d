package bedrock

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
)

// dialect has two lists of models: those that Bedrock hosts, and the inference profiles, which
// are the only way to call most newer models.
type dialect struct {
	model.Dialect
	profiles model.Dialect
}

// Models returns the profiles and then the models that can be called without one. If the
// credential may read only one of the lists, the answer is that one.
func (d *dialect) Models(ctx context.Context, c *model.Client, ep *model.Endpoint) ([]model.Info, error) {
	hosted, err := d.Dialect.Models(ctx, c, ep)
	if err != nil && fault.KindOf(err) != fault.Denied {
		return nil, err
	}
	profiles, failed := d.profiles.Models(ctx, c, ep)
	if failed != nil && (err != nil || fault.KindOf(failed) != fault.Denied) {
		return nil, cmp.Or(err, failed)
	}
	known := map[string]model.Info{}
	for _, m := range hosted {
		known[m.ID] = m
	}
	for i := range profiles {
		m := known[profiles[i].Vendor] // see decodeProfiles
		profiles[i].Vendor, profiles[i].Vision = m.Vendor, m.Vision
	}
	for _, m := range hosted {
		if onDemand(m.Raw) {
			profiles = append(profiles, m)
		}
	}
	return profiles, nil
}

// listed returns the address of a list. Lists have a host of their own.
func listed(ep *model.Endpoint, path string, query url.Values) (*url.URL, error) {
	u, err := ep.At(path)
	if err == nil {
		u.Host = strings.Replace(u.Host, "bedrock-runtime", "bedrock", 1)
		u.RawQuery = query.Encode()
	}
	return u, err
}

func hostedAddress(ep *model.Endpoint) (*url.URL, error) {
	return listed(ep, "foundation-models", url.Values{"byOutputModality": {"TEXT"}})
}

func profilesAddress(ep *model.Endpoint) (*url.URL, error) {
	return listed(ep, "inference-profiles", url.Values{"maxResults": {"1000"}})
}

// hosted is an entry of the list of models.
type hosted struct {
	ID       string   `json:"modelId"`
	Name     string   `json:"modelName"`
	Provider string   `json:"providerName"`
	Input    []string `json:"inputModalities"`
	By       []string `json:"inferenceTypesSupported"`
}

func onDemand(raw json.RawMessage) bool {
	var h hosted
	return model.ValidButMistyped(json.Unmarshal(raw, &h)) && slices.Contains(h.By, "ON_DEMAND")
}

func decodeHosted(data []byte) ([]model.Info, error) {
	var list struct {
		Models []json.RawMessage `json:"modelSummaries"`
	}
	if err := json.Unmarshal(data, &list); err != nil || list.Models == nil {
		return nil, errors.New("no list of models")
	}
	var infos []model.Info
	for _, raw := range list.Models {
		var h hosted
		if model.ValidButMistyped(json.Unmarshal(raw, &h)) && h.ID != "" {
			infos = append(infos, model.Info{
				ID: h.ID, Name: cmp.Or(h.Name, h.ID), Vendor: h.Provider, Vision: slices.Contains(h.Input, "IMAGE"), Raw: raw,
			})
		}
	}
	return infos, nil
}

// decodeProfiles reads a list of profiles. Vendor is the id of the model until it is known whose
// that is.
func decodeProfiles(data []byte) ([]model.Info, error) {
	var list struct {
		Profiles []json.RawMessage `json:"inferenceProfileSummaries"`
	}
	if err := json.Unmarshal(data, &list); err != nil || list.Profiles == nil {
		return nil, errors.New("no list of inference profiles")
	}
	var infos []model.Info
	for _, raw := range list.Profiles {
		var p struct {
			ID     string `json:"inferenceProfileId"`
			Name   string `json:"inferenceProfileName"`
			Models []struct {
				ARN string `json:"modelArn"`
			} `json:"models"`
		}
		if !model.ValidButMistyped(json.Unmarshal(raw, &p)) || p.ID == "" {
			continue
		}
		info := model.Info{ID: p.ID, Name: cmp.Or(p.Name, p.ID), Raw: raw}
		if len(p.Models) > 0 {
			_, info.Vendor, _ = strings.Cut(p.Models[0].ARN, "foundation-model/")
		}
		infos = append(infos, info)
	}
	return infos, nil
}
