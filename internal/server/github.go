package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// gitHubUser is what the GitHub API says about the user of a token.
type gitHubUser struct {
	Login  string                  `json:"login"`
	Plan   string                  `json:"copilot_plan"`
	Quotas map[string]accountQuota `json:"quota_snapshots"`
}

// accountQuota is one quota of a user as the GitHub API has it.
type accountQuota struct {
	Entitlement      float64 `json:"entitlement"`
	Unlimited        bool    `json:"unlimited"`
	PercentRemaining float64 `json:"percent_remaining"`
	OverageCount     float64 `json:"overage_count"`
	OveragePermitted bool    `json:"overage_permitted"`
	Timestamp        string  `json:"timestamp_utc"`
}

// quotaSnapshot is the same as clients read it.
type quotaSnapshot struct {
	Entitlement      int64   `json:"entitlementRequests"` // -1: unlimited
	Unlimited        bool    `json:"isUnlimitedEntitlement"`
	Used             int64   `json:"usedRequests"`
	PercentRemaining float64 `json:"remainingPercentage"`
	Overage          float64 `json:"overage"`
	OverageAllowed   bool    `json:"overageAllowedWithExhaustedQuota"`
	UsageAllowed     bool    `json:"usageAllowedWithExhaustedQuota"`
	ResetDate        string  `json:"resetDate,omitempty"`
}

func (q accountQuota) snapshot() quotaSnapshot {
	s := quotaSnapshot{
		Entitlement: int64(q.Entitlement), Unlimited: q.Unlimited || q.Entitlement < 0, PercentRemaining: q.PercentRemaining,
		Overage: q.OverageCount, OverageAllowed: q.OveragePermitted, UsageAllowed: q.OveragePermitted,
	}
	if s.Unlimited {
		s.Entitlement, s.UsageAllowed = -1, true
	} else {
		s.Used = int64(math.Round(q.Entitlement * (1 - q.PercentRemaining/100)))
	}
	if _, err := time.Parse(time.RFC3339, q.Timestamp); err == nil { // SDKs fail on anything else
		s.ResetDate = q.Timestamp
	}
	return s
}

// gitHubUsers keeps the users of tokens that were looked up.
type gitHubUsers struct {
	mu      sync.Mutex // guards byToken
	byToken map[string]*lookUp
}

// maxTokens bounds the tokens whose users are kept.
const maxTokens = 1000

// lookUp is the user of one token.
type lookUp struct {
	mu   sync.Mutex // guards user; held during the look-up, so that there is only one
	user gitHubUser
}

func (u *gitHubUsers) of(token string) *lookUp {
	u.mu.Lock()
	defer u.mu.Unlock()
	l := u.byToken[token]
	if l == nil {
		if u.byToken == nil || len(u.byToken) >= maxTokens {
			u.byToken = map[string]*lookUp{}
		}
		l = &lookUp{}
		u.byToken[token] = l
	}
	return l
}

// user asks GitHub for a token's user. A good answer is kept, unless fresh is wanted.
// [fault.Denied] if GitHub refuses the token, [fault.Unavailable] if it cannot be asked.
func (i *Identity) user(ctx context.Context, token string, fresh bool) (gitHubUser, error) {
	l := i.users.of(token)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.user.Login != "" && !fresh {
		return l.user, nil
	}
	user, err := i.ask(ctx, token)
	if err == nil {
		l.user = user
	}
	return user, err
}

// ask sends the request.
func (i *Identity) ask(ctx context.Context, token string) (user gitHubUser, err error) {
	ctx, cancel := context.WithTimeout(ctx, identityWait)
	defer cancel()
	unavailable := func(err error) error {
		return &fault.Error{Op: "github", Kind: fault.Unavailable, Err: err}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, i.API+"/copilot_internal/user", nil)
	if err != nil {
		return user, unavailable(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	client := i.Client
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if err != nil {
		return user, unavailable(err)
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusUnauthorized, http.StatusForbidden:
		return user, &fault.Error{Op: "github", Kind: fault.Denied, Err: fmt.Errorf("%s answered %s", host(i.API), resp.Status)}
	default:
		return user, unavailable(fmt.Errorf("%s answered %s", host(i.API), resp.Status))
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&user); err != nil {
		return user, unavailable(fmt.Errorf("%s answered with no user: %w", host(i.API), fault.JSON(err)))
	}
	if user.Login == "" {
		return user, unavailable(fmt.Errorf("%s answered no login", host(i.API)))
	}
	return user, nil
}
