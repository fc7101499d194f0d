package known

import "time"

// Price is what the tokens of a model cost from a day on. Calls with a prompt of more than Above
// tokens cost Long, for all their tokens.
type Price struct {
	// From is the first day, in UTC; "" for the first price.
	From string `json:"from,omitempty"`
	Rates
	Above int64  `json:"above,omitempty"`
	Long  *Rates `json:"long,omitempty"`
}

// Rates are in US dollars for a million tokens. CacheRead and CacheWrite are those of input that
// was read from the provider's cache or written to it; nil means that they cost what other input
// costs.
type Rates struct {
	Input      float64  `json:"input"`
	Output     float64  `json:"output"`
	CacheRead  *float64 `json:"cacheRead,omitempty"`
	CacheWrite *float64 `json:"cacheWrite,omitempty"`
}

// Tokens are those of one call. Input includes CacheRead and CacheWrite.
type Tokens struct{ Input, Output, CacheRead, CacheWrite int64 }

// PriceAt returns the price at a time, nil if none is known.
func (m *Model) PriceAt(t time.Time) *Price {
	day := t.UTC().Format(time.DateOnly)
	var price *Price
	for i := range m.Prices {
		if m.Prices[i].From <= day {
			price = &m.Prices[i]
		}
	}
	return price
}

// Cost returns what a call costs, in US dollars.
func (p *Price) Cost(t Tokens) float64 {
	rates := &p.Rates
	if p.Long != nil && t.Input > p.Above {
		rates = p.Long
	}
	fresh := max(t.Input-t.CacheRead-t.CacheWrite, 0)
	sum := float64(fresh)*rates.Input + float64(t.Output)*rates.Output
	sum += float64(t.CacheRead)*or(rates.CacheRead, rates.Input) + float64(t.CacheWrite)*or(rates.CacheWrite, rates.Input)
	return sum / 1e6
}

func or(rate *float64, otherwise float64) float64 {
	if rate != nil {
		return *rate
	}
	return otherwise
}
