package strategies

import (
	"context"
	"errors"
	"testing"
)

// counter is a Resource that others write to as often as rivals says.
type counter struct {
	value, version int64
	rivals         int
	fails          error
}

func (c *counter) Read(context.Context) (int64, int64, error) {
	value, version := c.value, c.version
	if c.rivals > 0 {
		c.rivals--
		c.value--
		c.version++
	}
	return value, version, c.fails
}

func (c *counter) WriteIf(_ context.Context, value, version int64) error {
	if version != c.version {
		return ErrConflict
	}
	c.value = value
	c.version++
	return nil
}

func TestOptimisticVersion(t *testing.T) {
	decrement := func(n int64) int64 { return n - 1 }
	r := newRig(t, 0)
	var u Updater = &OptimisticVersion{r.env()}

	c := &counter{value: 10, rivals: 2}
	mustFail(t, "Update", u.Update(t.Context(), c, decrement), nil)
	if c.value != 7 || c.version != 3 {
		t.Errorf("value %d, version %d after three updates of 10", c.value, c.version)
	}
	broken := errors.New("broken")
	mustFail(t, "Update", u.Update(t.Context(), &counter{fails: broken}, decrement), broken)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	mustFail(t, "Update", u.Update(ctx, c, decrement), context.Canceled)
}
